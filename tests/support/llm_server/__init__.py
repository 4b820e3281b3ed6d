"""A language model's endpoint on loopback that speaks three vendors' protocols and fails on demand."""

from tests.support.llm_server.server import LlmServer
from tests.support.llm_server.wire import Answer, Call, answer_text, good_answer

__all__ = ["Answer", "Call", "LlmServer", "answer_text", "good_answer"]
