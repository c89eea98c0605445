import { execFileSync, spawnSync } from 'node:child_process'

/**
 * Runs all tests. With TEST_MINUTES, the longest ones come last, in parts: one begins when so many
 * minutes have room for the longest part so far. Each commit begins with another part. What is left
 * out is said.
 */

const parts = 8
const given = process.env.TEST_MINUTES
const minutes = given === undefined ? Number.POSITIVE_INFINITY : Number(given)
if (Number.isNaN(minutes)) throw new Error(`TEST_MINUTES is ${given}: it takes a number.`)

const isGreen = (...args: readonly string[]) => spawnSync('vitest', ['run', ...args], { stdio: 'inherit' }).status === 0

function runParts(): boolean {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  const first = Number.parseInt(commit.slice(0, 8), 16) % parts
  let longest = 0
  for (let ended = 0; ended < parts; ended += 1) {
    const began = performance.now()
    if (began + longest > minutes * 60_000) {
      console.log(
        `Left out, to end within ${minutes} minutes: ${parts - ended} of ${parts} parts. They run by: npx vitest run --project more`,
      )
      return true
    }
    const part = 1 + ((first + ended) % parts)
    if (!isGreen('--project', 'more', `--shard=${part}/${parts}`)) return false
    longest = Math.max(longest, performance.now() - began)
  }
  return true
}

const green = given === undefined ? isGreen() : isGreen('--project', 'units', '--project', 'main') && runParts()
process.exitCode = green ? 0 : 1
