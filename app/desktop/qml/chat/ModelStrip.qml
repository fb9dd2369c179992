import QtQuick
import Hearth

// Above the composer while no model can answer: it loads, it failed, or there is none. Says so, and what to
// do.
Item {
    id: strip

    required property ActiveModel model
    property bool needed: true  // a question can be asked here

    signal openAsked()

    readonly property string phase: model.state
    readonly property bool shown: needed && phase !== "ready"

    visible: shown
    implicitHeight: shown ? card.implicitHeight + Theme.small : 0

    Rectangle {
        id: card

        width: parent.width
        implicitHeight: column.implicitHeight + 2 * Theme.medium
        radius: Theme.radiusLarge
        color: strip.phase === "failed" ? Theme.errorSoft : Theme.accentSoft

        Accessible.role: strip.phase === "loading" ? Accessible.ProgressBar
                                                   : Accessible.AlertMessage
        Accessible.name: title.text
        Accessible.description: sentence.text

        Column {
            id: column

            x: Theme.large
            y: Theme.medium
            width: parent.width - 2 * Theme.large
            spacing: 6

            Text {
                id: title

                width: parent.width
                text: strip.phase === "loading"
                    ? qsTr("Opening %1").arg(strip.model.modelName)
                    : strip.phase === "failed" ? qsTr("The model could not be opened")
                    : qsTr("No model is open")
                textFormat: Text.PlainText
                elide: Text.ElideMiddle
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                font.weight: Font.DemiBold
                color: strip.phase === "failed" ? Theme.errorText : Theme.accentText
                Accessible.ignored: true
            }

            Text {
                id: sentence

                objectName: "modelSentence"
                width: parent.width
                visible: text !== ""
                text: strip.phase === "failed" ? strip.model.errorText
                    : strip.phase === "empty"
                    ? qsTr("Open a GGUF file with a language model to start chatting.") : ""
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                maximumLineCount: 8
                elide: Text.ElideRight
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: strip.phase === "failed" ? Theme.errorText : Theme.accentText
                Accessible.ignored: true
            }

            Rectangle {
                visible: strip.phase === "loading"
                width: parent.width
                height: 4
                radius: 2
                color: Theme.pressed

                Rectangle {
                    width: parent.width * Math.max(0.02, Math.min(1, strip.model.progress))
                    height: 4
                    radius: 2
                    color: Theme.accent
                }
            }

            Flow {
                visible: strip.phase !== "loading"
                width: parent.width
                topPadding: 4
                spacing: Theme.small

                AppButton {
                    objectName: "openAnother"
                    iconName: "folder"
                    text: strip.phase === "failed" ? qsTr("Open another model…")
                        : qsTr("Open a model…")
                    onClicked: strip.openAsked()
                }

                AppButton {
                    objectName: "tryModelAgain"
                    visible: strip.phase === "failed" && strip.model.path !== ""
                    iconName: "refresh"
                    text: qsTr("Try again")
                    onClicked: strip.model.reload()
                }
            }
        }
    }
}
