import QtQuick
import Hearth

// The end of an answer that was stopped, interrupted or failed, with a way to continue.
Item {
    id: status

    property string phase: "complete"
    property string errorText
    property bool canRetry: false
    property bool continuable: false  // it has text to go on from
    property bool canContinue: false
    property bool reachable: true

    signal retried()
    signal continued()

    readonly property bool failed: phase === "failed"
    readonly property string sentence: failed
        ? (errorText === "" ? qsTr("The answer failed.") : errorText)
        : phase === "interrupted" ? qsTr("Hearth was closed before this answer was finished.")
        : phase === "stopped" ? qsTr("You stopped this answer.")
        : continuable ? qsTr("This answer ended at the limit of tokens.") : ""

    visible: sentence !== ""
    implicitHeight: !visible ? 0
        : Math.max(label.implicitHeight, buttons.implicitHeight) + (failed ? Theme.large : 0)

    Accessible.role: Accessible.StaticText
    Accessible.name: sentence
    Accessible.ignored: sentence === ""

    Rectangle {
        anchors.fill: parent
        visible: status.failed
        radius: Theme.radius + 2
        color: Theme.errorSoft
    }

    Icon {
        id: sign

        anchors.left: parent.left
        anchors.leftMargin: status.failed ? Theme.medium : 0
        anchors.verticalCenter: parent.verticalCenter
        name: status.failed ? "alert" : status.phase === "stopped" ? "stop" : "info"
        size: 16
        color: status.failed ? Theme.errorText : Theme.textMuted
    }

    Text {
        id: label

        anchors.left: sign.right
        anchors.leftMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        width: Math.min(Math.ceil(natural.advanceWidth) + 1, parent.width - sign.width - buttons.width
            - (status.failed ? 3 : 2) * Theme.medium)
        text: status.sentence
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: status.failed ? Theme.errorText : Theme.textMuted
        Accessible.ignored: true

        // Measured on one line: the text's own implicit width changes when it is wrapped.
        TextMetrics {
            id: natural

            font: label.font
            text: status.sentence
        }
    }

    Row {
        id: buttons

        x: status.failed ? Theme.at(parent.width - width - Theme.small, width, parent.width)
            : Theme.mirrored ? label.x - width - Theme.tiny : label.x + label.width + Theme.tiny
        anchors.verticalCenter: parent.verticalCenter
        visible: status.sentence !== ""

        AppButton {
            objectName: "continueAnswer"
            kind: "quiet"
            ink: status.failed ? Theme.errorText : Theme.accentText
            text: qsTr("Continue")
            Accessible.name: qsTr("Continue this answer")
            visible: status.continuable && status.canContinue
            enabled: status.canRetry
            activeFocusOnTab: status.reachable || activeFocus
            onClicked: status.continued()
        }

        AppButton {
            objectName: "retry"
            kind: "quiet"
            ink: status.failed ? Theme.errorText : Theme.accentText
            text: qsTr("Try again")
            visible: status.phase !== "complete"  // else the button below does it
            enabled: status.canRetry
            activeFocusOnTab: status.reachable || activeFocus
            onClicked: status.retried()
        }
    }
}
