import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A conversation without messages: a greeting and a few questions that a small model can answer.
Flickable {
    id: empty

    required property Replies replies

    signal asked(string text)

    contentHeight: Math.max(height, column.implicitHeight + 2 * Theme.huge)
    boundsBehavior: Flickable.StopAtBounds
    interactive: contentHeight > height
    clip: true

    FollowFocus {
        view: empty
    }

    Column {
        id: column

        anchors.horizontalCenter: parent.horizontalCenter
        y: Math.max(Theme.huge, Math.round((empty.height - implicitHeight) * 0.46))
        width: Math.min(Theme.bodyWidth - 120, empty.width - 2 * Theme.large)
        spacing: Theme.medium

        Logo {
            anchors.horizontalCenter: parent.horizontalCenter
            size: 52
            strokeWidth: 2.2
        }

        Text {
            objectName: "greeting"
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: qsTr("What would you like to talk about?")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontGreeting
            font.weight: Font.DemiBold
            color: Theme.text

            Accessible.role: Accessible.Heading
            Accessible.name: text
        }

        Text {
            width: parent.width
            bottomPadding: Theme.medium
            horizontalAlignment: Text.AlignHCenter
            text: qsTr("Hearth runs on your own computer. Ask something, "
                + "or begin with one of these.")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontBody
            color: Theme.textMuted

            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        Grid {
            id: grid

            anchors.horizontalCenter: parent.horizontalCenter
            columns: parent.width >= 520 ? 2 : 1
            columnSpacing: Theme.medium
            rowSpacing: Theme.medium

            Repeater {
                model: [
                    qsTr("Who are you?"),
                    qsTr("Tell me a short story."),
                    qsTr("Why is the sky blue?"),
                    qsTr("What is the capital of France?")
                ]

                delegate: Basic.AbstractButton {
                    id: prompt

                    required property string modelData

                    objectName: "examplePrompt"
                    width: (column.width - (grid.columns - 1) * grid.columnSpacing) / grid.columns
                    enabled: empty.replies.canSend
                    onClicked: empty.asked(modelData)
                    height: Math.max(54, line.implicitHeight + 2 * Theme.large)
                    text: modelData
                    focusPolicy: Qt.StrongFocus
                    hoverEnabled: true

                    Accessible.role: Accessible.Button
                    Accessible.name: text
                    Accessible.onPressAction: prompt.clicked()
                    Keys.onReturnPressed: prompt.clicked()
                    Keys.onEnterPressed: prompt.clicked()

                    background: Rectangle {
                        radius: Theme.radiusLarge
                        color: prompt.down ? Theme.pressed : prompt.hovered ? Theme.hover
                                                                            : Theme.surface
                        border.width: 1
                        border.color: prompt.hovered ? Theme.controlBorder : Theme.border

                        FocusRing {
                            shown: prompt.visualFocus
                        }
                    }

                    contentItem: Item {
                        Text {
                            id: line

                            anchors.left: parent.left
                            anchors.leftMargin: Theme.medium
                            width: parent.width - Theme.medium - Math.round(14 * Theme.zoom) - Theme.large
                            anchors.verticalCenter: parent.verticalCenter
                            text: prompt.text
                            textFormat: Text.PlainText
                            wrapMode: Text.Wrap
                            font.family: Theme.sans
                            font.pixelSize: Theme.fontBody - 1
                            color: prompt.enabled ? Theme.text : Theme.textMuted
                        }

                        Icon {
                            anchors.right: parent.right
                            anchors.rightMargin: Theme.small
                            anchors.verticalCenter: parent.verticalCenter
                            name: "chevronRight"
                            size: 14
                            color: prompt.hovered ? Theme.accentText : Theme.textMuted
                        }
                    }
                }
            }
        }
    }
}
