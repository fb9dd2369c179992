import QtQuick
import Hearth

// Fades an item in within a moment. It goes into the item that appears.
NumberAnimation {
    id: fade

    required property Item item

    target: item
    property: "opacity"
    from: 0
    to: 1
    duration: Theme.quick
    easing.type: Easing.OutQuad

    readonly property bool shown: item.visible

    onShownChanged: {
        if (shown) {
            restart()
        } else {
            stop()
        }
    }
}
