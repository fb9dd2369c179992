import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// What a model wrote to itself before its answer: one line, and the text below it once it is asked
// for.
Column {
    id: fold

    required property string phase     // "open": it is being written; "done"
    required property bool shown
    required property var blocks       // null while it is folded
    required property var app
    property bool reachable: true      // takes part in Tab
    property var view                  // the list of messages

    signal toggled()
    signal linkPointed(string link)
    signal linkAsked(string link)

    function moved(): void {
        culling.moved()
    }

    spacing: Theme.small
    bottomPadding: shown ? Theme.small : 0

    Basic.AbstractButton {
        id: line

        objectName: "thoughtLine"
        implicitWidth: Math.ceil(label.implicitWidth) + sign.width + (caret.visible ? caret.width + Theme.small : 0)
            + 3 * Theme.small
        implicitHeight: Math.max(28, label.implicitHeight + Theme.small)
        text: fold.phase === "open" ? qsTr("Thinking…") : qsTr("Reasoning")
        focusPolicy: Qt.StrongFocus
        activeFocusOnTab: fold.reachable || activeFocus
        hoverEnabled: true
        onClicked: fold.toggled()

        Accessible.role: Accessible.Button
        Accessible.name: fold.shown ? qsTr("Hide the reasoning") : qsTr("Show the reasoning")
        Accessible.description: fold.phase === "open" ? qsTr("Hearth is thinking") : ""
        Accessible.onPressAction: line.clicked()
        Keys.onReturnPressed: event => {
            if (!event.isAutoRepeat) {
                line.clicked()
            }
        }
        Keys.onEnterPressed: event => {
            if (!event.isAutoRepeat) {
                line.clicked()
            }
        }

        background: Rectangle {
            radius: Theme.radius
            color: line.down ? Theme.pressed : line.hovered ? Theme.hover : "transparent"

            FocusRing {
                shown: line.visualFocus
            }
        }

        contentItem: Item {
            Icon {
                id: sign

                anchors.left: parent.left
                anchors.leftMargin: Theme.tiny
                anchors.verticalCenter: parent.verticalCenter
                name: fold.shown ? "chevronDown" : "chevronRight"
                color: Theme.textMuted
                size: 15
            }

            Text {
                id: label

                anchors.left: sign.right
                anchors.leftMargin: Theme.small
                anchors.verticalCenter: parent.verticalCenter
                text: line.text
                textFormat: Text.PlainText
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.textMuted
                Accessible.ignored: true
            }

            EmberCaret {
                id: caret

                anchors.left: label.right
                anchors.leftMargin: Theme.small
                anchors.verticalCenter: parent.verticalCenter
                running: fold.phase === "open"
            }
        }
    }

    Item {
        objectName: "thought"
        visible: fold.shown
        width: fold.width
        height: visible ? blockColumn.implicitHeight : 0

        Rectangle {
            x: Theme.at(0, width, parent.width)
            width: 3
            height: parent.height
            radius: 1.5
            color: Theme.line
        }

        BlockCulling {
            id: culling

            column: blockColumn
            view: fold.view
        }

        Column {
            id: blockColumn

            x: Theme.at(Theme.large, width, parent.width)
            width: parent.width - Theme.large
            spacing: Theme.medium + 2

            Repeater {
                model: fold.blocks

                delegate: BlockDelegate {
                    width: blockColumn.width
                    app: fold.app
                    generating: fold.phase === "open"
                    reachable: fold.reachable
                    onLinkPointed: link => fold.linkPointed(link)
                    onLinkAsked: link => fold.linkAsked(link)
                }
            }
        }
    }
}
