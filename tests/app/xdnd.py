"""A file dragged from another program onto a window under X11: what a file manager's drag and drop sends (XDND, version 5).
Needs python3-xlib."""
import time
from pathlib import Path

from Xlib import X, Xatom, display
from Xlib.protocol import event


class Source:
    """The program that files are dragged from: a window of one pixel that offers a list of addresses."""

    def __init__(self):
        self.display = display.Display()
        self.window = self.display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        names = ["Enter", "Position", "Status", "Drop", "Finished", "Selection", "ActionCopy"]
        self.atoms = {name: self.display.intern_atom("Xdnd" + name) for name in names}
        self.type = self.display.intern_atom("text/uri-list")

    def _tell(self, target, name, values):
        message = event.ClientMessage(window=target, client_type=self.atoms[name], data=(32, [self.window.id, *values]))
        target.send_event(message, event_mask=0)
        self.display.flush()

    def _give(self, request, addresses):
        """Answers a request for what is dragged."""
        request.requestor.change_property(request.property, self.type, 8, addresses)
        request.requestor.send_event(event.SelectionNotify(time=request.time, requestor=request.requestor, selection=request.selection,
                                                           target=request.target, property=request.property))
        self.display.flush()

    def drop(self, window, x, y, paths, seconds=5.0):
        """Drops `paths` at (x, y) of the screen on the window. Returns whether it accepted them; False if it is closed."""
        target = self.display.create_resource_object("window", int(window))
        addresses = "".join(Path(path).resolve().as_uri() + "\r\n" for path in paths).encode()
        self.window.set_selection_owner(self.atoms["Selection"], X.CurrentTime)
        self._tell(target, "Enter", [5 << 24, self.type, Xatom.STRING, 0])
        self._tell(target, "Position", [0, x << 16 | y, X.CurrentTime, self.atoms["ActionCopy"]])
        end, dropped = time.monotonic() + seconds, False
        while time.monotonic() < end:
            if not self.display.pending_events():
                time.sleep(0.005)
                continue
            got = self.display.next_event()
            if got.type == X.SelectionRequest:
                self._give(got, addresses)
            elif got.type == X.ClientMessage and got.client_type == self.atoms["Status"] and not dropped:
                self._tell(target, "Drop", [0, X.CurrentTime, 0, 0])
                dropped = True
            elif got.type == X.ClientMessage and got.client_type == self.atoms["Finished"]:
                return bool(got.data[1][1] & 1)
        return False
