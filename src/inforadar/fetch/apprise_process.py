"""Send one message with apprise, in a process of its own: `python -m inforadar.fetch.apprise_process`.

Apprise opens connections that our guard does not see, and loads plugins by the URL's scheme. So it gets a process
without our database and settings, is told the allowed schemes, and is killed when it hangs. The message comes as JSON
on standard input, because arguments are visible to other users of the machine.
"""

from __future__ import annotations

import json
import logging
import sys

UNAVAILABLE = 3
REFUSED = 2


def main() -> int:
    """Read the message, send it, and return 0 if apprise says that it was sent."""
    try:
        import apprise  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: PLC0415
    except ModuleNotFoundError:
        sys.stderr.write("This channel needs the extra: pip install 'inforadar[apprise]'.")
        return UNAVAILABLE
    given = json.load(sys.stdin)
    scheme = str(given["url"]).partition("://")[0].casefold()
    if scheme not in given["schemes"]:
        sys.stderr.write(
            f"The scheme {scheme!r} is not allowed; NOTIFY_APPRISE_SCHEMES lists those that are."
        )
        return REFUSED
    logging.disable(logging.CRITICAL)
    sender = apprise.Apprise()
    if not sender.add(given["url"]):
        sys.stderr.write("Apprise does not understand the channel's URL.")
        return REFUSED
    # Mail shows HTML; apprise makes text of it for services that do not.
    is_sent = sender.notify(
        title=given["title"],
        body=given["html"],
        body_format=apprise.NotifyFormat.HTML,
        interpret_escapes=False,
    )
    if not is_sent:
        sys.stderr.write("The service did not take the message.")
    return 0 if is_sent else 1


if __name__ == "__main__":
    sys.exit(main())
