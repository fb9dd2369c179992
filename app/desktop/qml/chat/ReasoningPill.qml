import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// Whether the model thinks before it answers, and how long. Shown where its chat template has such
// a choice.
Basic.AbstractButton {
    id: pill

    required property var choices  // a list of {value, label}; empty: there is nothing to choose
    required property string value

    signal chosen(string value)

    readonly property string label: {
        const found = choices.find(choice => choice.value === value)
        return found === undefined ? "" : found.label
    }

    visible: choices.length > 0
    implicitHeight: Math.max(26, content.implicitHeight + 2 * Theme.tiny)
    implicitWidth: content.implicitWidth + arrow.width + Theme.tiny + leftPadding + rightPadding
    leftPadding: Theme.small
    rightPadding: Theme.small
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    text: qsTr("Reasoning: %1").arg(label)
    onClicked: menu.popup(pill, 0, -menu.implicitHeight - 4)

    Accessible.role: Accessible.ButtonMenu
    Accessible.name: text
    Accessible.onPressAction: pill.clicked()
    Keys.onReturnPressed: pill.clicked()
    Keys.onEnterPressed: pill.clicked()
    Keys.onDownPressed: pill.clicked()

    background: Rectangle {
        radius: height / 2
        color: pill.down ? Theme.pressed : pill.hovered ? Theme.hover : "transparent"

        FocusRing {
            shown: pill.visualFocus
        }
    }

    contentItem: Item {
        Text {
            id: content

            anchors.verticalCenter: parent.verticalCenter
            text: pill.text
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
        }

        Icon {
            id: arrow

            anchors.left: content.right
            anchors.leftMargin: Theme.tiny
            anchors.verticalCenter: parent.verticalCenter
            name: "chevronDown"
            size: 12
            color: Theme.textMuted
        }
    }

    AppToolTip {
        text: qsTr("Whether the model thinks before it answers")
        visible: !menu.visible && (pill.hovered || pill.visualFocus)
    }

    AppMenu {
        id: menu

        onClosed: pill.forceActiveFocus()

        Instantiator {
            model: pill.choices

            delegate: AppMenuItem {
                required property var modelData

                objectName: "reasoning-" + modelData.value
                text: modelData.label
                checkable: true
                checked: pill.value === modelData.value
                onTriggered: {
                    pill.chosen(modelData.value)
                    // A click on the checked item would switch it off.
                    checked = Qt.binding(() => pill.value === modelData.value)
                }
            }

            onObjectAdded: (index, object) => menu.insertItem(index, object as AppMenuItem)
            onObjectRemoved: (index, object) => menu.removeItem(object as AppMenuItem)
        }
    }
}
