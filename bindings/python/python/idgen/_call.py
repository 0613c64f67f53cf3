"""Calls of a map in another thread, for coroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from idgen._idgen import _Callback


async def call(start: Callable[[_Callback], Any]) -> Any:
    """Starts a call in another thread, and awaits its result."""
    # Not at the top: the import takes 30 ms or more, and who awaits has done it.
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(error: BaseException | None, value: Any) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def done(error: BaseException | None, value: Any) -> None:
        # If the loop has been closed, no coroutine waits for the result.
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, error, value)

    running = start(done)
    try:
        return await future
    except asyncio.CancelledError:
        running.cancel()
        raise
