import QtQuick

// Brings the item with the keyboard into view, in a Flickable and in those inside it, and keeps it there when
// its surroundings grow or shrink. A reader who scrolls by hand may leave it behind.
Item {
    id: follow

    required property Flickable view
    property int margin: 8
    property bool keeps: true

    // The view was scrolled to show that item.
    signal moved()

    property Item kept: null
    property bool scrolling: false
    property real knownContent: 0
    property real knownHeight: 0

    function within(item: Item): bool {
        for (let up = item; up !== null; up = up.parent) {
            if (up === view.contentItem) {
                return true
            }
        }
        return false
    }

    // From the innermost out: each one moves the item that the next one has to show.
    function bring(item: Item): void {
        follow.scrolling = true
        let done = false
        for (let up = item.parent; up !== null && !done; up = up.parent) {
            if (up instanceof Flickable) {
                const before = up.contentY
                follow.scroll(up as Flickable, item)
                done = up === view
                if (done && up.contentY !== before) {
                    follow.moved()
                }
            }
        }
        follow.scrolling = false
        follow.knownContent = view.contentHeight
        follow.knownHeight = view.height
    }

    function scroll(flick: Flickable, item: Item): void {
        const top = item.mapToItem(flick.contentItem, 0, 0).y
        const bottom = top + item.height
        const seenTop = flick.contentY
        const seenBottom = seenTop + flick.height
        if (item.height + 2 * margin > flick.height && bottom > seenTop + margin
                && top < seenBottom - margin) {
            return  // larger than the view, and inside it
        }
        const least = flick.originY - flick.topMargin
        const most = Math.max(least, flick.originY + flick.contentHeight + flick.bottomMargin
            - flick.height)
        if (top - margin < seenTop) {
            flick.contentY = Math.max(least, Math.min(top - margin, most))
        } else if (bottom + margin > seenBottom) {
            flick.contentY = Math.min(top - margin, bottom + margin - flick.height, most)
        }
    }

    function keep(): void {
        if (kept !== null && kept === view.Window.activeFocusItem) {
            bring(kept)
        }
    }

    Connections {
        target: follow.view.Window.window

        function onActiveFocusItemChanged(): void {
            const item = follow.view.Window.activeFocusItem
            follow.kept = item !== null && follow.within(item) ? item : null
            if (follow.kept !== null) {
                follow.bring(follow.kept)
            }
        }
    }

    Connections {
        target: follow.view
        enabled: follow.keeps

        // Later, when everything that changes with it has its place.
        function onContentHeightChanged(): void {
            Qt.callLater(follow.keep)  // qmllint disable
        }
        function onHeightChanged(): void {
            Qt.callLater(follow.keep)  // qmllint disable
        }
        function onContentYChanged(): void {
            const byHand = !follow.scrolling && follow.view.contentHeight === follow.knownContent
                && follow.view.height === follow.knownHeight
            if (byHand) {
                follow.kept = null
            }
        }
    }
}
