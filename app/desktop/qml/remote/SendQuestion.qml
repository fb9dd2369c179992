import QtQuick
import Hearth

// Words are about to leave this computer: where to, which ones, and the user's answers.
Rectangle {
    id: question

    required property SendConsent consent
    property bool forThisChat: true  // the waiting answer belongs to the shown chat

    signal answered()

    visible: consent.asking
    implicitHeight: visible ? column.implicitHeight + 2 * Theme.medium : 0
    height: implicitHeight
    radius: Theme.radiusLarge
    color: Theme.warningSoft
    border.width: 1
    border.color: Theme.controlBorder

    Accessible.role: Accessible.AlertMessage
    Accessible.name: visible ? heading.text + " " + details.text : ""

    Column {
        id: column

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * Theme.medium
        spacing: Theme.small

        Text {
            id: heading

            objectName: "sendQuestion"
            width: parent.width
            text: question.forThisChat
                ? qsTr("Send the words of this chat to %1?").arg(question.consent.host)
                : qsTr("Send the words of another chat, which waits for its answer, to %1?")
                    .arg(question.consent.host)
            textFormat: Text.PlainText
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        Text {
            id: details

            objectName: "sendDetails"
            width: parent.width
            text: qsTr("This model is not local. Questions, answers, instructions, texts of "
                       + "attached files and of the project's files, and what tools find go there. "
                       + "The answer holds until Hearth is closed.")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "sendOnce"
                text: qsTr("Send")
                Accessible.description: heading.text
                onClicked: {
                    question.consent.allow()
                    question.answered()
                }
            }
            AppButton {
                objectName: "sendAlways"
                text: qsTr("Always send")
                Accessible.name: qsTr("Always send to %1").arg(question.consent.host)
                onClicked: {
                    question.consent.allowAlways()
                    question.answered()
                }
            }
            AppButton {
                objectName: "sendNothing"
                text: qsTr("Send nothing")
                onClicked: {
                    question.consent.refuse()
                    question.answered()
                }
            }
        }
    }
}
