import type { ScaleTime } from 'd3-scale'

/** The least distance between two times in pixels. */
const apart = 110

const minute = 60_000

export function Axis({ x, width }: { readonly x: ScaleTime<number, number>; readonly width: number }) {
  const ticks = x.ticks(Math.max(2, Math.floor(width / apart)))
  const step = (ticks[1]?.getTime() ?? 0) - (ticks[0]?.getTime() ?? 0)
  return (
    <div className="gantt-axis" aria-hidden="true">
      <span className="gantt-corner">Story</span>
      <div className="gantt-line">
        {ticks.map((tick) => (
          <span key={tick.getTime()} className="gantt-tick" style={{ left: x(tick) }}>
            {timeOf(tick, step)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Shows seconds only if they differ, and the date at the start of a day. */
function timeOf(tick: Date, step: number): string {
  if (tick.getHours() === 0 && tick.getMinutes() === 0 && tick.getSeconds() === 0) {
    return tick.toLocaleDateString([], { day: 'numeric', month: 'short' })
  }
  const withSeconds = step < minute ? ({ second: '2-digit' } as const) : {}
  return tick.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', ...withSeconds })
}
