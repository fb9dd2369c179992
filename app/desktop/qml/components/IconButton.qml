import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A square button that is only an icon; `text` is its name for screen readers and its tip.
Basic.AbstractButton {
    id: button

    property string iconName
    property string hint          // added to the tip, such as "Ctrl+N"
    property color ink: Theme.textMuted
    property color inkHover: Theme.text
    property bool menuOpen: false // its menu is shown, and a tip would cover the menu
    property bool tipOnFocus: true
    property int side: 30
    property real iconSize: 19

    readonly property int room: Math.max(side, Math.round(iconSize * Theme.zoom) + 10)

    implicitWidth: room
    implicitHeight: room
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    opacity: enabled ? 1 : 0.4

    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.description: hint
    Accessible.onPressAction: button.clicked()

    // A key that is held down presses once: the next button may stand in the place of this one.
    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            button.clicked()
        }
    }
    Keys.onEnterPressed: event => {
        if (!event.isAutoRepeat) {
            button.clicked()
        }
    }

    background: Rectangle {
        radius: Theme.radius
        color: button.down ? Theme.pressed : button.hovered ? Theme.hover : "transparent"

        Behavior on color {
            ColorAnimation {
                duration: Theme.quick
            }
        }

        FocusRing {
            shown: button.visualFocus
            gap: 0
        }
    }

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            name: button.iconName
            size: button.iconSize
            color: button.hovered || button.visualFocus ? button.inkHover : button.ink
        }
    }

    AppToolTip {
        objectName: "iconTip"
        text: button.hint === "" ? button.text : button.text + "  ·  " + button.hint
        visible: (button.hovered || button.visualFocus && button.tipOnFocus) && !button.down
            && !button.menuOpen
    }
}
