import { monitorEventLoopDelay } from 'node:perf_hooks'
import { follow } from '../src/app/wait/follow.ts'
import { openDrydock } from '../src/compose.ts'

/**
 * A process that owns a state until one Run has its result. The last line of its output has the
 * event loop's delay and the peak memory.
 */
const [directory = '', run = '', coders = ''] = process.argv.slice(2)
const delay = monitorEventLoopDelay({ resolution: 5 })
const drydock = await openDrydock({ directory, env: process.env })
delay.enable()
const { exitCode } = await follow(drydock, {
  runs: [run],
  after: 0,
  coders: Number(coders),
  own: true,
  noWait: true,
  humanDelayMs: null,
  onEvent: () => {},
  onNote: (text) => console.error(text),
  stop: new AbortController().signal,
})
delay.disable()
// Each sample includes the sampling interval.
const loopP99Ms = delay.percentile(99) / 1e6 - 5
console.log(JSON.stringify({ loopP99Ms, peakMiB: process.resourceUsage().maxRSS / 1_024 }))
process.exitCode = exitCode
