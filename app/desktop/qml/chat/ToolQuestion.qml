import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The model wants to call a tool: which one, with what, and the user's answers.
Rectangle {
    id: question

    required property ToolRounds rounds

    signal answered()

    visible: rounds.asking
    implicitHeight: visible ? column.implicitHeight + 2 * Theme.medium : 0
    height: implicitHeight
    radius: Theme.radiusLarge
    color: Theme.surface
    border.width: 1
    border.color: Theme.controlBorder

    Accessible.role: Accessible.AlertMessage
    Accessible.name: visible ? heading.text : ""

    Column {
        id: column

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * Theme.medium
        spacing: Theme.small

        Text {
            id: heading

            objectName: "toolQuestion"
            width: parent.width
            text: qsTr("The model wants to call “%1” of %2, with:").arg(question.rounds.tool)
                .arg(question.rounds.source)
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        Flickable {
            id: flick

            width: parent.width
            height: Math.min(contentHeight, Math.round(140 * Theme.zoom))
            contentWidth: width
            contentHeight: values.implicitHeight
            boundsBehavior: Flickable.StopAtBounds
            clip: contentHeight > height
            activeFocusOnTab: contentHeight > height
            Keys.onUpPressed: contentY = Math.max(0, contentY - 40)
            Keys.onDownPressed: contentY = Math.max(0, Math.min(contentHeight - height, contentY + 40))
            Basic.ScrollBar.vertical: AppScrollBar { }

            Text {
                id: values

                objectName: "toolArguments"
                width: flick.width - Theme.small
                text: question.rounds.arguments
                textFormat: Text.PlainText
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                font.family: Theme.mono
                font.pixelSize: Theme.fontTiny
                color: Theme.text
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }

            FocusRing {
                shown: flick.activeFocus
            }
        }

        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "allowOnce"
                text: qsTr("Allow once")
                Accessible.description: heading.text
                onClicked: {
                    question.rounds.allowOnce()
                    question.answered()
                }
            }
            AppButton {
                objectName: "allowAlways"
                text: qsTr("Always in this chat: %1").arg(question.rounds.always)
                onClicked: {
                    question.rounds.allowAlways()
                    question.answered()
                }
            }
            AppButton {
                objectName: "allowInProject"
                visible: question.rounds.inProject
                text: qsTr("Always in this project: %1").arg(question.rounds.always)
                onClicked: {
                    question.rounds.allowInProject()
                    question.answered()
                }
            }
            AppButton {
                objectName: "refuseTool"
                text: qsTr("Refuse")
                onClicked: {
                    question.rounds.refuse()
                    question.answered()
                }
            }
        }
    }
}
