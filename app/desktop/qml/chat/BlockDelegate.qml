import QtQuick
import Hearth

// One row of a BlockListModel.
Loader {
    id: loader

    required property int index
    required property string kind
    required property string html
    required property string code
    required property string language
    required property string drawing
    required property int level
    required property bool closed
    required property bool last      // of its message

    property var app
    property bool generating: false  // its message is being written
    property bool draws: false       // a drawing is shown as one, not as its source
    property bool reachable: true
    property bool hug: false
    readonly property bool live: last && generating
    // For BlockCulling: the block has buttons or links.
    readonly property bool hasStops: reachable && (kind === "code" || kind === "formula"
        || html.indexOf("<a ") >= 0)
    // Every loaded item has a naturalWidth, and all but a rule have a plainText().
    readonly property real naturalWidth: hug && item !== null ? item.naturalWidth : 0  // qmllint disable

    // A part of the answer that will not change any more, for a screen reader.
    signal settled(string text)
    signal linkPointed(string link)
    signal linkAsked(string link)

    onClosedChanged: {
        if (closed && generating) {
            settling.start()
        }
    }

    // The text of the row may change after `closed` does. Unlike Qt.callLater() this timer is deleted with
    // the delegate.
    Timer {
        id: settling

        interval: 0
        onTriggered: {
            if (loader.item !== null && loader.kind !== "rule") {
                loader.settled(loader.item.plainText())  // qmllint disable
            }
        }
    }

    sourceComponent: kind === "code" ? codeComponent : kind === "rule" ? ruleComponent
        : kind === "formula" ? formulaComponent : textComponent

    Component {
        id: textComponent

        BlockText {
            kind: loader.kind
            html: loader.html
            level: loader.level
            live: loader.live
            hug: loader.hug
            reachable: loader.reachable
            onLinkPointed: link => loader.linkPointed(link)
            onLinkAsked: link => loader.linkAsked(link)
        }
    }

    Component {
        id: codeComponent

        BlockCode {
            app: loader.app
            code: loader.code
            language: loader.language
            drawing: loader.draws ? loader.drawing : ""
            live: loader.live
            reachable: loader.reachable
        }
    }

    Component {
        id: formulaComponent

        BlockFormula {
            app: loader.app
            source: loader.code
            live: loader.live
            reachable: loader.reachable
        }
    }

    Component {
        id: ruleComponent

        Item {
            readonly property real naturalWidth: 40

            implicitHeight: 17

            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width
                height: 1
                color: Theme.line
            }
        }
    }
}
