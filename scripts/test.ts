import { execFileSync, spawnSync } from 'node:child_process'

/**
 * Runs all tests. With TEST_MINUTES, the units come first, then the main ways and then all others
 * in parts: one begins when so many minutes have room for it. Each commit begins with another part.
 * What is left out is said.
 */

const given = process.env.TEST_MINUTES
const minutes = given === undefined ? Number.POSITIVE_INFINITY : Number(given)
if (Number.isNaN(minutes)) throw new Error(`TEST_MINUTES is ${given}: it takes a number.`)

const isGreen = (...args: readonly string[]) => spawnSync('vitest', ['run', ...args], { stdio: 'inherit' }).status === 0

const partsOf = { main: 4, more: 8 } as const

function runInTime(): boolean {
  if (!isGreen('--project', 'units')) return false
  // About what a part of the main ways takes: all of them took a little longer than the units.
  let longest = performance.now() / 3
  const commit = Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8), 16)
  const left: string[] = []
  for (const [project, parts] of Object.entries(partsOf)) {
    for (let ended = 0; ended < parts; ended += 1) {
      const began = performance.now()
      if (began + longest > minutes * 60_000) {
        left.push(`${parts - ended} of ${parts} parts of "${project}"`)
        break
      }
      const part = 1 + ((commit + ended) % parts)
      if (!isGreen('--project', project, `--shard=${part}/${parts}`)) return false
      longest = Math.max(longest, performance.now() - began)
    }
  }
  if (left.length > 0) {
    const run = 'npx vitest run --project main --project more'
    console.log(`Left out, to end within ${minutes} minutes: ${left.join(', ')}. They run by: ${run}`)
  }
  return true
}

const green = given === undefined ? isGreen() : runInTime()
process.exitCode = green ? 0 : 1
