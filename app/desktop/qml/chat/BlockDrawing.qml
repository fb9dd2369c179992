import QtQuick
import Hearth

// A drawing in the middle of its block, on paper that is light in each theme: most drawings are black lines.
Item {
    id: block

    required property var desk
    property string source
    property bool live: false
    readonly property string trouble: picture.trouble
    readonly property bool leftOut: picture.leftOut
    readonly property string name: picture.title === "" ? qsTr("Drawing") : picture.title

    function again(): void {
        picture.again()
    }

    implicitHeight: paper.height

    Rectangle {
        id: paper

        objectName: "drawingPaper"
        // On whole pixels: between them it would be blurred.
        x: Math.round((block.width - width) / 2)
        width: picture.implicitWidth + 2 * Theme.small
        height: picture.implicitHeight + 2 * Theme.small
        radius: Theme.radius
        color: Theme.paper
        border.width: 1
        border.color: Theme.border

        DrawingPicture {
            id: picture

            objectName: "drawing"
            x: Theme.small
            y: Theme.small
            width: implicitWidth
            height: implicitHeight
            desk: block.desk
            source: block.source
            room: Math.floor(block.width - 2 * Theme.small)
            zoom: Theme.zoom

            Accessible.role: Accessible.Graphic
            Accessible.name: block.name
        }
    }

    EmberCaret {
        running: block.live
        x: paper.x + paper.width + 5
        y: paper.y + (paper.height - height) / 2
    }
}
