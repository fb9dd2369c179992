import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A formula of its own lines, in the middle. A wide one scrolls sideways. A click selects it as a whole.
Item {
    id: block

    required property var app
    property string source
    property bool live: false
    property bool reachable: true  // its button takes part in Tab
    readonly property bool drawn: picture.drawn
    readonly property real naturalWidth: (drawn ? picture.implicitWidth + copy.implicitWidth
        : (plain.item as BlockCode)?.naturalWidth ?? 0) + 2 * Theme.medium

    function plainText(): string {
        return drawn ? picture.words : source
    }

    implicitHeight: drawn ? Math.max(flick.contentHeight, copy.implicitHeight) + 2 * Theme.tiny
        + (flick.interactive ? Theme.medium : 0) : plain.implicitHeight

    HoverHandler {
        id: hover
    }

    Flickable {
        id: flick

        visible: block.drawn
        anchors.fill: parent
        anchors.rightMargin: copy.width
        contentWidth: Math.max(width, picture.implicitWidth + 2 * Theme.small)
        contentHeight: picture.implicitHeight
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentWidth > width
        clip: interactive
        Basic.ScrollBar.horizontal: AppScrollBar { }

        Rectangle {
            anchors.fill: picture
            anchors.margins: -Theme.tiny
            visible: picture.activeFocus
            radius: Theme.radius
            color: Theme.selection
        }

        FormulaPicture {
            id: picture

            objectName: "formula"
            // In the middle of the block, not of what the button leaves of it.
            // On whole pixels: between them it would be blurred.
            x: Math.round(Math.max(Theme.small, Math.min((block.width - implicitWidth) / 2,
                flick.contentWidth - implicitWidth - Theme.small)))
            y: Math.round(Math.max(Theme.tiny, (copy.implicitHeight - implicitHeight) / 2 + Theme.tiny))
            width: implicitWidth
            height: implicitHeight
            source: block.source
            family: Theme.sans
            size: Theme.fontFormula
            color: Theme.text

            Accessible.role: Accessible.Graphic
            Accessible.name: qsTr("Formula: %1").arg(words)
            Accessible.ignored: !block.drawn

            TapHandler {
                onTapped: picture.forceActiveFocus(Qt.MouseFocusReason)
            }

            Keys.onPressed: event => {
                if (event.matches(StandardKey.Copy)) {
                    block.app.copyText(block.source)
                    event.accepted = true
                }
            }
        }

        EmberCaret {
            running: block.live && block.drawn
            x: picture.x + picture.width + 5
            y: picture.y + (picture.height - height) / 2
        }
    }

    IconButton {
        id: copy

        property bool done: false

        objectName: "copyFormula"
        visible: block.drawn
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        iconName: done ? "check" : "copy"
        iconSize: 15
        ink: done ? Theme.success : Theme.textMuted
        text: done ? qsTr("Copied") : qsTr("Copy the formula")
        opacity: hover.hovered || visualFocus || done || picture.activeFocus ? 1 : 0
        activeFocusOnTab: block.reachable || activeFocus
        onClicked: {
            block.app.copyText(block.source)
            done = true
            fade.restart()
        }

        Timer {
            id: fade

            interval: 1800
            onTriggered: copy.done = false
        }
    }

    // No font has one of its characters.
    Loader {
        id: plain

        active: !block.drawn
        width: block.width
        sourceComponent: BlockCode {
            app: block.app
            code: block.source
            language: "formula"
            live: block.live
            reachable: block.reachable
        }
    }
}
