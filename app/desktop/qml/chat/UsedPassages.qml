import QtQuick
import Hearth

// The passages of documents that went to the model with a question, under its answer. Each opens at its place.
Flow {
    id: used

    required property var passages  // {id, passage, label}
    property bool reachable: true

    signal asked(var documentId, int passage)

    spacing: Theme.tiny

    Text {
        height: Theme.control
        verticalAlignment: Text.AlignVCenter
        rightPadding: Theme.tiny
        text: qsTr("Passages used:")
        textFormat: Text.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Repeater {
        model: used.passages

        delegate: AppButton {
            required property var modelData

            objectName: "usedPassage"
            kind: "quiet"
            leftPadding: Theme.small
            rightPadding: Theme.small
            width: Math.min(implicitWidth, used.width)
            text: modelData.label
            activeFocusOnTab: used.reachable || activeFocus
            onClicked: used.asked(modelData.id, modelData.passage)
        }
    }
}
