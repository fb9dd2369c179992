import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The loaded model layer by layer: where its weights lie and what answers do with them. The engine is asked
// for it as long as the panel lives.
FocusScope {
    id: panel

    required property NeuronMap map

    readonly property bool hasLayers: map.layerCount > 0

    signal closed()

    function takeFocus(): void {
        if (hasLayers) {
            layers.forceActiveFocus()
        } else {
            closeButton.forceActiveFocus()
        }
    }

    Component.onCompleted: map.shown = true
    Component.onDestruction: map.shown = false
    // The keyboard was at the layers, and they are gone.
    onHasLayersChanged: {
        if (!hasLayers && panel.activeFocus) {
            closeButton.forceActiveFocus()
        }
    }

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Neuron map")

    Keys.onEscapePressed: panel.closed()

    component Small: Text {
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    component Key: Row {
        id: key

        required property string place
        required property color swatch
        required property string words

        spacing: 6

        PlaceSwatch {
            anchors.verticalCenter: parent.verticalCenter
            width: 18
            height: 12
            place: key.place
            color: key.swatch
            groundColor: Theme.window
        }
        Small {
            text: key.words
        }
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    Rectangle {
        width: 1
        height: parent.height
        color: Theme.border
    }

    Item {
        id: head

        width: parent.width
        height: 56

        Text {
            anchors.left: parent.left
            anchors.leftMargin: Theme.large
            anchors.right: closeButton.left
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Neuron map")
            textFormat: Text.PlainText
            elide: Text.ElideRight
            font.family: Theme.sans
            font.pixelSize: Theme.fontTitle
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        IconButton {
            id: closeButton

            objectName: "closeMap"
            anchors.right: parent.right
            anchors.rightMargin: Theme.medium
            anchors.verticalCenter: parent.verticalCenter
            focus: true
            iconName: "close"
            text: qsTr("Close the neuron map")
            hint: qsTr("Esc")
            onClicked: panel.closed()
        }
        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: Theme.border
        }
    }

    Text {
        objectName: "mapSentence"
        anchors.top: head.bottom
        anchors.topMargin: Theme.huge
        anchors.horizontalCenter: parent.horizontalCenter
        width: parent.width - 2 * Theme.huge
        visible: text !== ""
        text: panel.map.sentence
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignHCenter
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Flickable {
        id: content

        anchors.top: head.bottom
        anchors.bottom: words.top
        anchors.topMargin: Theme.medium
        anchors.bottomMargin: Theme.small
        width: parent.width
        visible: panel.hasLayers
        clip: true
        contentHeight: layers.y + layers.height
        boundsBehavior: Flickable.StopAtBounds
        Basic.ScrollBar.vertical: AppScrollBar { }

        Column {
            id: totals

            x: Theme.large
            width: parent.width - 2 * x
            spacing: 3

            Repeater {
                model: panel.map.lines.length

                delegate: Small {
                    required property int index

                    objectName: "mapLine"
                    width: totals.width
                    text: panel.map.lines[index] ?? ""
                    color: Theme.text
                }
            }
        }

        Flow {
            id: keys

            anchors.top: totals.bottom
            anchors.topMargin: Theme.medium
            x: Theme.large
            width: totals.width
            spacing: Theme.medium

            Key {
                place: "card"
                swatch: rows.cardColor
                words: qsTr("graphics card")
            }
            Key {
                place: "memory"
                swatch: rows.memoryColor
                words: qsTr("memory")
            }
            Key {
                place: "disk"
                swatch: rows.diskColor
                words: qsTr("disk")
            }
        }

        Item {
            id: headings

            anchors.top: keys.bottom
            anchors.topMargin: Theme.medium
            x: Theme.large
            width: totals.width
            height: Theme.fontTiny * 1.4 + Theme.tiny

            Repeater {
                model: [qsTr("Weights"), panel.map.experts ? qsTr("Chosen") : qsTr("Fires"),
                    qsTr("Cached"), qsTr("Disk")]

                delegate: Small {
                    required property int index
                    required property string modelData

                    // Asked again when the rows get another width.
                    x: rows.width > 0 ? rows.columnX(index) : 0
                    text: modelData
                    wrapMode: Text.NoWrap
                }
            }
        }

        FocusScope {
            id: layers

            objectName: "mapLayers"
            anchors.top: headings.bottom
            x: Theme.large
            width: totals.width
            height: rows.height
            activeFocusOnTab: true

            Accessible.role: Accessible.List
            Accessible.name: panel.map.selected < 0
                ? qsTr("Layers of the model, %1: Up and Down choose one").arg(panel.map.layerCount)
                : panel.map.selectedText
            Accessible.focusable: true
            Accessible.focused: activeFocus

            function choose(layer: int): void {
                panel.map.selected = layer
                const top = layers.y + panel.map.selected * rows.rowHeight
                content.contentY = Math.max(0, Math.min(Math.max(content.contentY,
                    top + rows.rowHeight - content.height), top))
            }

            readonly property int page: Math.max(1,
                Math.floor(content.height / rows.rowHeight) - 1)

            Keys.onDownPressed: choose(panel.map.selected + 1)
            Keys.onUpPressed: choose(panel.map.selected - 1)
            Keys.onPressed: event => {
                const key = event.key
                event.accepted = true
                if (key === Qt.Key_Home) {
                    choose(0)
                } else if (key === Qt.Key_End) {
                    choose(panel.map.layerCount - 1)
                } else if (key === Qt.Key_PageDown && event.modifiers === Qt.NoModifier) {
                    choose(panel.map.selected + page)
                } else if (key === Qt.Key_PageUp && event.modifiers === Qt.NoModifier) {
                    choose(panel.map.selected - page)
                } else {
                    event.accepted = false
                }
            }

            LayerRows {
                id: rows

                objectName: "layerRows"
                width: layers.width
                height: rowHeight * panel.map.layerCount
                map: panel.map
                // All layers at once, if they have room.
                rowHeight: Math.max(7, Math.min(Math.round(22 * Theme.zoom),
                    Math.floor((content.height - layers.y - 2)
                        / Math.max(1, panel.map.layerCount))))
                labelWidth: Math.round(26 * Theme.zoom)
                gap: 10
                fontSize: Math.round(11 * Theme.zoom)
                cardColor: Theme.accent
                memoryColor: Theme.codeType
                diskColor: Theme.controlBorder
                useColor: Theme.success
                groundColor: Theme.window
                trackColor: Theme.hover
                selectedColor: Theme.selected
                textColor: Theme.textMuted

                HoverHandler {
                    onPointChanged: {
                        const layer = hovered && !content.moving
                            ? rows.layerAt(point.position.y) : -1
                        if (layer >= 0) {
                            panel.map.selected = layer
                        }
                    }
                }
                TapHandler {
                    onTapped: layers.forceActiveFocus()
                }
            }
            FocusRing {
                shown: layers.activeFocus
                gap: 3
            }
        }
    }

    Rectangle {
        id: words

        // As tall as what was said so far: the layers stay in their places while one after another is read.
        property real tallest: 0

        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.medium
        x: Theme.large
        width: parent.width - 2 * x
        height: Math.max(tallest, said.implicitHeight) + 2 * Theme.small
        visible: panel.hasLayers
        radius: Theme.radius
        color: Theme.surface
        border.width: 1
        border.color: Theme.border
        onWidthChanged: tallest = 0

        Small {
            id: said

            objectName: "mapWords"
            x: Theme.medium
            y: Theme.small
            width: parent.width - 2 * x
            color: Theme.text
            onImplicitHeightChanged: words.tallest = Math.max(words.tallest, implicitHeight)
            text: panel.map.selected >= 0 ? panel.map.selectedText
                : (panel.map.experts
                    ? qsTr("Chosen: where the experts lay that tokens chose.")
                    : qsTr("Fires: the share of a layer's neurons that a token uses."))
                  + " " + qsTr("Cached: of what lies on the disk and was needed, the share that memory "
                    + "already had. Disk: how fast it is read; the longest bar is the fastest.")
        }
    }
}
