import QtQuick
import Hearth

// The local API as it runs: its address and token to copy, and the latest requests.
Column {
    id: card

    required property ModelServing serving

    signal copyAsked(string text)

    property bool tokenShown: false

    spacing: Theme.medium

    component Line: Text {
        width: card.width
        visible: text !== ""
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    component Heading: Line {
        font.pixelSize: Theme.fontBody
        font.weight: Font.DemiBold
        color: Theme.text
        Accessible.role: Accessible.Heading
    }

    Line {
        objectName: "servingState"
        visible: card.serving.state !== "off" || !card.serving.available
        text: !card.serving.available
            ? qsTr("This window only reads your conversations. It answers no other program.")
            : card.serving.state === "starting" ? qsTr("The local API starts…")
            : card.serving.state === "failed" ? qsTr("The local API is not running.")
            : qsTr("Programs of this computer can use the model now.")
        color: Theme.text
    }

    Line {
        objectName: "servingProblem"
        text: card.serving.problem
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
    }

    AppButton {
        objectName: "tryServing"
        visible: card.serving.state === "failed"
        iconName: "refresh"
        text: qsTr("Try again")
        onClicked: card.serving.tryAgain()
    }

    Column {
        width: parent.width
        visible: card.serving.state === "on"
        spacing: Theme.small

        Heading {
            text: qsTr("Address")
        }
        Line {
            objectName: "servingAddress"
            text: card.serving.address
            font.family: Theme.mono
            color: Theme.text
        }
        Line {
            text: qsTr("Clients of OpenAI's API take it as their base URL. Clients of Anthropic's API take it without “/v1”.")
        }
        AppButton {
            objectName: "copyAddress"
            iconName: "copy"
            text: qsTr("Copy the address")
            onClicked: card.copyAsked(card.serving.address)
        }

        Heading {
            topPadding: Theme.small
            text: qsTr("Token")
        }
        Line {
            objectName: "servingToken"
            text: card.tokenShown ? card.serving.token : "••••••••••••••••"
            font.family: Theme.mono
            wrapMode: Text.WrapAnywhere
            color: Theme.text
            Accessible.name: card.tokenShown ? text : qsTr("The token is hidden")
        }
        Line {
            text: qsTr("Whoever knows it can use the model. %1").arg(card.serving.tokenPlace)
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "copyToken"
                iconName: "copy"
                text: qsTr("Copy the token")
                onClicked: card.copyAsked(card.serving.token)
            }
            AppButton {
                objectName: "showToken"
                text: card.tokenShown ? qsTr("Hide the token") : qsTr("Show the token")
                onClicked: card.tokenShown = !card.tokenShown
            }
            AppButton {
                objectName: "renewToken"
                iconName: "refresh"
                text: qsTr("Make a new token")
                onClicked: card.serving.renewToken()
            }
        }
    }

    Line {
        objectName: "servingMemory"
        visible: text !== "" && card.serving.state === "on"
        text: card.serving.memory
    }

    Heading {
        visible: card.serving.available
        text: qsTr("Latest requests")
    }
    Line {
        objectName: "noRequests"
        visible: card.serving.available && card.serving.requests.count === 0
        text: qsTr("No program has asked so far.")
    }

    Column {
        width: parent.width
        spacing: Theme.small
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Latest requests")
        Accessible.ignored: card.serving.requests.count === 0

        Repeater {
            model: card.serving.requests

            delegate: Column {
                id: row

                required property string time
                required property string client
                required property string path
                required property string outcome
                required property bool failed

                objectName: "servedRequest"
                width: card.width
                spacing: 2
                Accessible.role: Accessible.ListItem
                Accessible.name: qsTr("%1, %2: %3. %4").arg(row.time).arg(row.client).arg(row.path)
                    .arg(row.outcome)

                Line {
                    text: qsTr("%1 · %2").arg(row.time).arg(row.client)
                    color: Theme.text
                    Accessible.ignored: true
                }
                Line {
                    text: row.path
                    font.family: Theme.mono
                    font.pixelSize: Theme.fontTiny
                    color: Theme.text
                    Accessible.ignored: true
                }
                Line {
                    text: row.outcome
                    color: row.failed ? Theme.errorText : Theme.textMuted
                    Accessible.ignored: true
                }
            }
        }
    }
}
