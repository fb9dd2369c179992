import QtQuick
import Hearth

// The small glowing dot at the end of an answer that is being written.
Rectangle {
    id: caret

    property bool running: false

    width: 9
    height: 9
    radius: 4.5
    color: Theme.accent
    visible: running

    onRunningChanged: opacity = 1

    SequentialAnimation on opacity {
        running: caret.running && Theme.motion && !Theme.sparing
        loops: Animation.Infinite

        NumberAnimation {
            to: 0.25
            duration: 550
            easing.type: Easing.InOutSine
        }
        NumberAnimation {
            to: 1
            duration: 550
            easing.type: Easing.InOutSine
        }
    }

    // Two frames a second instead of sixty.
    Timer {
        interval: 550
        repeat: true
        running: caret.running && Theme.motion && Theme.sparing
        onTriggered: caret.opacity = caret.opacity < 1 ? 1 : 0.35
    }
}
