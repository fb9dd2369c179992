import QtQuick
import Hearth

// A shadow under something that lies above the page: soft on all sides, deeper below. It is made of
// rectangles, which every renderer of Qt Quick draws. Its parent is the Rectangle that casts it.
Item {
    id: shadow

    readonly property int layers: 7
    readonly property real corner: (parent as Rectangle)?.radius ?? 0

    anchors.fill: parent
    z: -1  // behind its parent

    Repeater {
        model: shadow.layers

        Rectangle {
            required property int index

            readonly property real reach: 2 * index

            anchors.fill: parent
            anchors.leftMargin: -reach
            anchors.rightMargin: -reach
            anchors.topMargin: 4 - reach
            anchors.bottomMargin: -4 - reach
            radius: shadow.corner + reach
            color: Theme.shadow
        }
    }
}
