import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The calls of tools in an answer: a line for each, and below it arguments and result once they are asked
// for.
Column {
    id: fold

    required property var calls      // as callWords() has them
    required property var openCall   // callId of the one that is unfolded, or null
    property bool reachable: true    // takes part in Tab

    signal toggled(var callId)
    signal wholeAsked(string text, string size)

    readonly property int most: 2000  // characters of a result that are shown here

    function wordsOf(state: string): string {
        return state === "asked" ? qsTr("waits for your answer")
            : state === "running" ? qsTr("is running")
            : state === "failed" ? qsTr("failed")
            : state === "refused" ? qsTr("refused")
            : state === "interrupted" ? qsTr("interrupted") : qsTr("done")
    }

    spacing: 2

    component Words: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        font.family: Theme.mono
        font.pixelSize: Theme.fontTiny
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    component Heading: Text {
        width: parent.width
        textFormat: Text.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        font.weight: Font.DemiBold
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Repeater {
        model: fold.calls.length

        delegate: Column {
            id: row

            required property int index
            readonly property var call: fold.calls[index]
            readonly property bool shown: fold.openCall === call.callId

            width: fold.width
            spacing: Theme.tiny

            Basic.AbstractButton {
                id: line

                objectName: "toolLine"
                width: Math.min(implicitWidth, row.width)
                implicitWidth: Math.ceil(label.implicitWidth) + sign.width + 3 * Theme.small
                implicitHeight: Math.max(28, label.implicitHeight + Theme.small)
                text: qsTr("%1 · %2 · %3").arg(row.call.tool).arg(row.call.source)
                    .arg(fold.wordsOf(row.call.state))
                focusPolicy: Qt.StrongFocus
                activeFocusOnTab: fold.reachable || activeFocus
                hoverEnabled: true
                onClicked: fold.toggled(row.shown ? null : row.call.callId)

                Accessible.role: Accessible.Button
                Accessible.name: row.shown ? qsTr("Hide the call: %1").arg(text)
                                           : qsTr("Show the call: %1").arg(text)
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
                        name: row.shown ? "chevronDown" : "chevronRight"
                        color: Theme.textMuted
                        size: 15
                    }
                    Text {
                        id: label

                        anchors.left: sign.right
                        anchors.leftMargin: Theme.small
                        anchors.right: parent.right
                        anchors.verticalCenter: parent.verticalCenter
                        text: line.text
                        textFormat: Text.PlainText
                        elide: Text.ElideRight
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        color: row.call.state === "failed" ? Theme.errorText : Theme.textMuted
                        Accessible.ignored: true
                    }
                }
            }

            Loader {
                active: row.shown
                visible: active
                x: Theme.at(Theme.large, width, row.width)
                width: row.width - Theme.large
                sourceComponent: Column {
                    spacing: Theme.tiny
                    bottomPadding: Theme.small

                    Heading {
                        text: qsTr("Arguments")
                    }
                    Words {
                        objectName: "shownArguments"
                        text: row.call.arguments
                    }
                    Heading {
                        visible: row.call.result !== ""
                        text: qsTr("Result")
                    }
                    Words {
                        objectName: "shownResult"
                        visible: text !== ""
                        text: row.call.result.slice(0, fold.most)
                    }
                    AppButton {
                        objectName: "wholeResult"
                        visible: row.call.result.length > fold.most
                        kind: "quiet"
                        text: qsTr("Show all of the result")
                        activeFocusOnTab: fold.reachable || activeFocus
                        onClicked: fold.wholeAsked(row.call.result,
                            qsTr("Result of %1").arg(row.call.tool))
                    }
                    Heading {
                        visible: row.call.thought !== ""
                        text: qsTr("Reasoning after it")
                    }
                    Words {
                        visible: text !== ""
                        font.family: Theme.sans
                        text: row.call.thought
                    }
                }
            }
        }
    }
}
