pragma Singleton

import QtQuick

// Line icons on a 24 x 24 grid, drawn for this project: SVG path data by name. Icon.qml strokes
// them.
QtObject {
    // Those that point along a line, and turn round with it.
    readonly property var turning: ["chevronLeft", "chevronRight", "undo", "panel", "layers", "file"]
    readonly property var paths: ({
        "plus": "M12 5 V19 M5 12 H19",
        "close": "M6 6 L18 18 M18 6 L6 18",
        "check": "M5 12.5 L10 17.5 L19.5 7",
        "dots": "M5.5 12 H6 M11.75 12 H12.25 M18 12 H18.5",
        "pin": "M9 4 H15 L14.5 10 L17.5 13.5 H6.5 L9.5 10 Z M12 13.5 V20.5",
        "pencil": "M4.5 19.5 L5.5 15.5 L16 5 A2.1 2.1 0 0 1 19 8 L8.5 18.5 Z M14 7 L17 10",
        "trash": "M4.5 7 H19.5 M9.5 7 V4.5 H14.5 V7 "
            + "M6.5 7 L7.5 19.5 H16.5 L17.5 7 M10.3 10.5 V16 M13.7 10.5 V16",
        "copy": "M9 9 H19 V20 H9 Z M6 15.5 H5 V4.5 H15 V5.5",
        "refresh": "M19 12 A7 7 0 1 1 16.6 6.7 M19.5 3.5 V8 H15",
        "send": "M12 19.5 V5 M5.5 11 L12 4.5 L18.5 11",
        "stop": "M7.5 7.5 H16.5 V16.5 H7.5 Z",
        "up": "M6 15 L12 8.5 L18 15",
        "down": "M12 4.5 V19 M5.5 13 L12 19.5 L18.5 13",
        "chevronLeft": "M14.5 5.5 L8 12 L14.5 18.5",
        "chevronRight": "M9.5 5.5 L16 12 L9.5 18.5",
        "chevronDown": "M5.5 9.5 L12 16 L18.5 9.5",
        "panel": "M4 5.5 H20 V18.5 H4 Z M9.5 5.5 V18.5",
        "clip": "M19 11 L11.5 18.5 A4.6 4.6 0 0 1 5 12 L13 4 A3.2 3.2 0 0 1 17.5 8.5 "
            + "L9.7 16.3 A1.6 1.6 0 0 1 7.4 14 L14.3 7.1",
        "file": "M6 3.5 H14 L18.5 8 V20.5 H6 Z M13.5 3.5 V8.5 H18.5 M9 12.5 H15.5 M9 16 H15.5",
        "folder": "M3.5 18.5 V5.5 H9.5 L11.5 8 H20.5 V18.5 Z",
        "folderPlus": "M3.5 18.5 V5.5 H9.5 L11.5 8 H20.5 V18.5 Z M12 10.5 V16 M9.25 13.25 H14.75",
        "undo": "M9 5 L4.5 9.5 L9 14 M4.5 9.5 H14.5 A5 5 0 0 1 14.5 19.5 H10",
        "model": "M12 3.5 L19.5 7.7 V16.3 L12 20.5 L4.5 16.3 V7.7 Z "
            + "M4.5 7.7 L12 12 L19.5 7.7 M12 12 V20.5",
        "sliders": "M4 7.5 H13 M17.5 7.5 H20 M4 16.5 H6.5 M11 16.5 H20 "
            + "M15.25 5.25 V9.75 M8.75 14.25 V18.75",
        "search": "M10.5 4 A6.5 6.5 0 1 1 10.49 4 Z M15.4 15.4 L20 20",
        "keyboard": "M3 6.5 H21 V17.5 H3 Z M6.5 10 H7 M10.2 10 H10.7 "
            + "M13.8 10 H14.3 M17.2 10 H17.7 M8 14 H16",
        "info": "M12 3.5 A8.5 8.5 0 1 1 11.99 3.5 Z M12 11 V16.5 M12 7.6 V7.9",
        "alert": "M12 4 L21 19.5 H3 Z M12 10 V14.2 M12 16.6 V16.9",
        "download": "M12 4 V15 M7 10.5 L12 15.5 L17 10.5 M4.5 19.5 H19.5",
        "pause": "M9 6 V18 M15 6 V18",
        "globe": "M12 3.5 A8.5 8.5 0 1 1 11.99 3.5 Z M3.5 12 H20.5 "
            + "M12 3.5 C8 8 8 16 12 20.5 M12 3.5 C16 8 16 16 12 20.5",
        "wrench": "M14.5 9.5 L5 19 M19.5 6.5 A4.5 4.5 0 1 1 15.5 4 L14.5 7.5 L16.5 9.5 Z",
        "layers": "M4.5 6 H19.5 M4.5 10 H14 M4.5 14 H17 M4.5 18 H11",
        "lock": "M5.5 11 H18.5 V20 H5.5 Z M8.5 11 V8 A3.5 3.5 0 0 1 15.5 8 V11",
        "code": "M8.5 6.5 L3 12 L8.5 17.5 M15.5 6.5 L21 12 L15.5 17.5",
        "picture": "M4 5 H20 V19 H4 Z M4 16.5 L9.5 11 L14 15.5 L16.5 13 L20 16.5 M15.8 8.6 H16.2",
        "flame": "M12.3 2.8 C13 6.8 18.6 9 18.6 14.4 A6.6 6.6 0 0 1 5.4 14.4 C5.4 11.6 6.9 9.8 8.2 "
            + "8.6 C8.5 10 9.2 10.8 10 11.2 C9.8 8 10.6 4.8 12.3 2.8 Z"
    })
}
