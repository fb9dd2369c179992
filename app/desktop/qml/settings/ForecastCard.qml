import QtQuick
import Hearth

// The effect of the settings on the open model, before it is loaded with them.
Rectangle {
    id: card

    required property PlanPreview preview
    required property string modelName
    required property bool asking

    signal cardsAsked()

    readonly property bool good: preview.problem === ""

    objectName: "forecast"
    implicitHeight: column.implicitHeight + 2 * Theme.large
    radius: Theme.radiusLarge
    color: good ? Theme.surface : Theme.errorSoft
    border.width: good ? 1 : 0
    border.color: Theme.border

    Accessible.role: Accessible.StaticText
    Accessible.name: preview.known ? preview.summary : qsTr("Forecast")

    component Legend: Row {
        property alias mark: dot.color
        property alias text: words.text

        spacing: 6
        visible: text !== ""

        Rectangle {
            id: dot

            anchors.verticalCenter: parent.verticalCenter
            width: 10
            height: 10
            radius: 3
        }

        Text {
            id: words

            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.text
            Accessible.ignored: true
        }
    }

    Column {
        id: column

        x: Theme.large
        y: Theme.large
        width: parent.width - 2 * Theme.large
        spacing: Theme.small

        Text {
            width: parent.width
            text: card.modelName === "" ? qsTr("No model is open.")
                : qsTr("%1 with these settings").arg(card.modelName)
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: card.good ? Theme.textMuted : Theme.errorText
            Accessible.ignored: true
        }

        Text {
            objectName: "forecastSpeed"
            width: parent.width
            visible: text !== ""
            text: !card.preview.known ? (card.modelName === "" ? "" : qsTr("Calculating…"))
                : card.good ? card.preview.speedText : card.preview.problem
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: card.good ? Theme.headingSize(2) : Theme.fontSmall
            font.weight: card.good ? Font.DemiBold : Font.Normal
            color: card.good ? Theme.text : Theme.errorText
            opacity: card.preview.busy && card.preview.known ? 0.5 : 1
            Accessible.ignored: true
        }

        Item {
            id: bar

            visible: card.preview.known && card.good
            width: parent.width
            height: 12

            Row {
                anchors.fill: parent
                spacing: 2

                Repeater {
                    model: [
                        [card.preview.cardShare, Theme.success],
                        [card.preview.memoryShare, Theme.accent],
                        [card.preview.diskShare, Theme.controlBorder]
                    ]

                    delegate: Rectangle {
                        required property var modelData

                        visible: modelData[0] > 0
                        width: Math.max(4, (bar.width - 4) * modelData[0])  // qmllint disable
                        height: 12
                        radius: 4
                        color: modelData[1]
                    }
                }
            }
        }

        Flow {
            visible: bar.visible
            width: parent.width
            spacing: Theme.medium

            Legend {
                mark: Theme.success
                text: card.preview.cardText
            }
            Legend {
                mark: Theme.accent
                text: card.preview.memoryText
            }
            Legend {
                mark: Theme.controlBorder
                text: card.preview.diskText
            }
        }

        Text {
            width: parent.width
            visible: bar.visible && text !== ""
            text: card.preview.freeText
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
            Accessible.ignored: true
        }

        AppButton {
            objectName: "tryCards"
            kind: "quiet"
            leftPadding: 0
            enabled: !card.asking
            text: card.asking ? qsTr("Trying the graphics cards…")
                : qsTr("Try the graphics cards again")
            onClicked: card.cardsAsked()
        }
    }
}
