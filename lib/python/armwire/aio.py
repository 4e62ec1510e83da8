"""Drives a device from asyncio, like armwire.

    async with await armwire.aio.open("hidmotor", "sim:") as arm:
        await arm.move(m1=0, m2=45, m3=-30, wait=True)
        async for record in arm.watch("m2.position", n=3):
            print(record.m2.position)

An arm runs its commands one after another, even if several tasks await them.
"""
import asyncio
import signal
import tempfile

from ._core import Face

END_S = 5
LINE_MAX = 1 << 20


async def open(tool, link=None, *, path=None, **options):  # noqa: A001
    """Opens a device; see armwire.open."""
    return await asyncio.to_thread(Arm, tool, link, path, options)


class Arm(Face):
    """A device, driven by one process of a tool."""

    def __init__(self, tool, link=None, path=None, options=None):
        self._process = self._watched = None
        self._turn = asyncio.Lock()
        super().__init__(tool, link, path, options or {})

    async def _send(self, line, command):
        if self._watched:
            await self._interrupt()
        if not self._process or self._process.returncode is not None:
            self._said = tempfile.TemporaryFile()
            self._process = await asyncio.create_subprocess_exec(
                *self.words(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=self._said,
                limit=LINE_MAX)
        try:
            self._process.stdin.write(self.lines(line, command))
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass

    async def run(self, line, command):
        """Runs a line; see armwire.Arm.run."""
        async with self._turn:
            await self._send(line, command)
            try:
                return self.conclude(await self._wait())
            except asyncio.CancelledError:
                if self._process:
                    self._process.terminate()
                await self._end()  # the wait was interrupted: stop the motion
                raise

    async def _wait(self):
        while line := await self._process.stdout.readline():
            if result := self.take(line):
                return result
        code = await self._process.wait()
        self._process = None
        raise self.ended(code, self._said)

    async def watch(self, *fields, **named):
        """Iterates over records as they arrive. Leaving the loop early closes the arm."""
        async with self._turn:
            await self._send(self._commands["watch"].line(fields, named), "watch")
            self._watched = process = self._process
        try:
            while line := await process.stdout.readline():
                result = self.take(line)
                if self.messages:
                    yield self.messages.pop()
                elif result:
                    self._watched = None
                    self.conclude(result)
                    return
            if self._watched is process:
                await self._wait()  # raises the last error of the tool
        finally:
            if self._watched is process:
                await self._interrupt()

    async def _interrupt(self):
        process, self._watched = self._watched, None
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await self._end()

    async def _end(self):
        process, self._process = self._process, None
        if not process:
            return
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except asyncio.TimeoutError:
            process.terminate()
            await process.wait()

    async def close(self):
        """Stops any motion and releases the device."""
        async with self._turn:
            await (self._interrupt() if self._watched else self._end())

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, trace):
        await self.close()
