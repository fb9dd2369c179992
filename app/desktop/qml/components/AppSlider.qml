import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A slider; `name` is its name for a screen reader.
Basic.Slider {
    id: slider

    required property string name
    property bool faint: false  // the program chooses the value now

    implicitHeight: Theme.control
    implicitWidth: 160
    snapMode: Basic.Slider.SnapAlways
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true

    Accessible.role: Accessible.Slider
    Accessible.name: name
    Accessible.onIncreaseAction: {
        increase()
        moved()
    }
    Accessible.onDecreaseAction: {
        decrease()
        moved()
    }

    background: Rectangle {
        x: slider.leftPadding
        y: slider.topPadding + (slider.availableHeight - height) / 2
        width: slider.availableWidth
        height: 4
        radius: 2
        color: Theme.controlBorder

        Rectangle {
            x: slider.mirrored ? parent.width - width : 0
            width: slider.position * parent.width
            height: 4
            radius: 2
            color: slider.faint || !slider.enabled ? Theme.controlBorder : Theme.accent
        }
    }

    handle: Rectangle {
        x: slider.leftPadding + slider.visualPosition * (slider.availableWidth - width)
        y: slider.topPadding + (slider.availableHeight - height) / 2
        width: 18
        height: 18
        radius: 9
        color: slider.faint || !slider.enabled ? Theme.surface : Theme.accent
        border.width: slider.faint || !slider.enabled ? 2 : 0
        border.color: Theme.controlBorder

        FocusRing {
            shown: slider.visualFocus
        }
    }
}
