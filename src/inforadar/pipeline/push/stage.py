"""The push stage: asks hubs to push feeds to us, renews that before it ends, and takes it back (WebSub, N6).

    due subscription | new address and secret | ask the hub in its host's turn | the hub verifies at `/push/{key}`

What hubs then push is received in `web/api/push.py`; what a push was worth is judged when its feed is saved.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

import structlog

from inforadar.fetch.polite_post import PolitePoster
from inforadar.model.http import Failed, FailureReason, Posted
from inforadar.store.database import Database
from inforadar.store.push.callbacks import LEASE_S
from inforadar.store.push.queries import has_push_work
from inforadar.store.push.subscribe import (
    HubRequest,
    claim_leaving,
    claim_requests,
    prune_callbacks,
    save_refusal,
)
from inforadar.urls import hostname

BATCH = 20
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PushStage:
    database: Database
    poster: PolitePoster
    public_url: str
    """Where hubs reach this installation; without it there is no push."""

    async def run_once(self) -> int:
        """Ask all hubs that are due; return how many took the request."""
        taken = 0
        while self.public_url:
            if not await self.database.read(has_push_work):
                break
            requests = await self.database.write(claim_requests, BATCH)
            leaving = await self.database.write(claim_leaving, BATCH)
            for request in requests:
                taken += await self._subscribe(request)
            for request in leaving:
                await self._post(request)
            await self.database.write(prune_callbacks)
            if not requests and not leaving:
                break
        return taken

    async def _subscribe(self, request: HubRequest) -> bool:
        answer = await self._post(request)
        if isinstance(answer, Posted) and answer.is_success:
            log.info("push.asked", feed_id=str(request.feed_id), hub=hostname(request.hub))
            return True
        message, wait_s = _refusal(answer, request)
        log.warning("push.refused", feed_id=str(request.feed_id), hub=hostname(request.hub), error=message)
        await self.database.write(save_refusal, request, message, wait_s=wait_s)
        return False

    async def _post(self, request: HubRequest) -> Posted | Failed:
        form = {
            "hub.callback": f"{self.public_url}/push/{request.key}",
            "hub.mode": "subscribe" if request.secret else "unsubscribe",
            "hub.topic": request.topic,
        }
        if request.secret:
            form |= {"hub.lease_seconds": str(LEASE_S), "hub.secret": request.secret}
        return await self.poster.post(request.hub, urlencode(form).encode(), dict(_FORM))


def _refusal(answer: Posted | Failed, request: HubRequest) -> tuple[str, float]:
    """Why a hub did not take a request, and how long it asks to wait."""
    if isinstance(answer, Posted):
        return f"The hub {hostname(request.hub)} answered {answer.status}.", answer.retry_after_s or 0.0
    hint = " FETCHER_ALLOWED_NETWORKS allows it." if answer.reason is FailureReason.GUARD else ""
    return f"{answer.message}{hint}", answer.retry_after_s or 0.0
