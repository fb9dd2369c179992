import QtQuick
import Hearth

// Above the composer while the model answers another program: which one, whether a question here waits for
// that, and a way to end it.
Item {
    id: strip

    required property ModelServing serving

    readonly property bool shown: serving.answering !== ""
    readonly property string sentence: serving.questionWaits
        ? qsTr("%1. Your question waits.").arg(serving.answering) : serving.answering

    visible: shown
    implicitHeight: shown ? Math.max(label.implicitHeight, stopButton.implicitHeight) + Theme.small : 0

    Accessible.role: Accessible.StaticText
    Accessible.name: sentence
    Accessible.ignored: !shown

    Icon {
        id: sign

        x: Theme.medium
        anchors.verticalCenter: label.verticalCenter
        name: "globe"
        size: 16
        color: Theme.textMuted
    }

    Text {
        id: label

        objectName: "servingSentence"
        anchors.left: sign.right
        anchors.leftMargin: Theme.small
        anchors.right: stopButton.left
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: stopButton.verticalCenter
        text: strip.sentence
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        maximumLineCount: 3
        elide: Text.ElideRight
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.ignored: true
    }

    AppButton {
        id: stopButton

        objectName: "stopServing"
        anchors.right: parent.right
        kind: "quiet"
        text: qsTr("Stop it")
        Accessible.name: qsTr("Stop the answer to the other program")
        onClicked: strip.serving.stopAnswer()
    }
}
