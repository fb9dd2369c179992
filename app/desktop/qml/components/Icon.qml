import QtQuick
import Hearth

// An icon of theme/Icons.qml, stroked in `color`. It is decoration: its control names its meaning. A Canvas
// and not a Shape: Qt's software renderer draws a Shape outside of its clipping item.
Canvas {
    id: icon

    property string name
    property color color: Theme.text
    property color fill: "transparent"
    property real size: 18
    property real strokeWidth: 1.7

    // As large as the text beside it.
    readonly property int drawn: Math.round(size * Theme.zoom)
    readonly property bool turned: Theme.mirrored && Icons.turning.includes(name)

    implicitWidth: drawn
    implicitHeight: drawn
    width: drawn
    height: drawn

    onNameChanged: requestPaint()
    onColorChanged: requestPaint()
    onFillChanged: requestPaint()
    onDrawnChanged: requestPaint()
    onTurnedChanged: requestPaint()

    onPaint: {
        const pen = getContext("2d")
        pen.reset()
        const path = Icons.paths[name]
        if (path === undefined) {
            return
        }
        if (turned) {
            pen.translate(drawn, 0)
            pen.scale(-1, 1)
        }
        pen.scale(drawn / 24, drawn / 24)
        pen.path = path
        if (fill.a > 0) {
            pen.fillStyle = fill
            pen.fill()
        }
        pen.lineWidth = strokeWidth * 24 / size
        pen.lineCap = "round"
        pen.lineJoin = "round"
        pen.strokeStyle = color
        pen.stroke()
    }
}
