/** Runs `draw` after it was asked to, when the browser paints, and at most once in `everyMs`. */
export function paced(draw: () => void, everyMs: number): () => void {
  let isAsked = false
  let drawnMs = -Infinity
  const drawNow = (): void => {
    isAsked = false
    drawnMs = performance.now()
    draw()
  }
  return () => {
    if (isAsked) return
    isAsked = true
    const waitMs = Math.max(0, drawnMs + everyMs - performance.now())
    setTimeout(() => requestAnimationFrame(drawNow), waitMs)
  }
}
