// Whether a window can be shown at all.
#pragma once

namespace hearth::ui {

// True where Qt would end the process because it finds neither X11 nor Wayland: on Linux and the
// BSDs without DISPLAY and WAYLAND_DISPLAY, unless QT_QPA_PLATFORM, -platform or -display name
// something else. False says only that it is worth a try.
bool displayMissing(int argc, const char* const* argv);

}  // namespace hearth::ui
