import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'
import type { Run } from '../../../src/domain/run/run.ts'

/**
 * A process that follows one Run as its owner and kills itself with SIGKILL before each commit of
 * the landing that no earlier process has met; the met ones are stored in a file.
 */
const [directory = '', run = '', branch = '', met = '', ...repositories] = process.argv.slice(2)
const isThere = (path: string) => existsSync(join(path, '.git/refs/heads', branch))

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    const stories = await records.machines({ kind: 'story', run })
    if (stories.length === 0 || stories.some(({ state }) => state !== 'DONE')) return
    const { state, data } = (await records.machine(run)) as Run
    const moment = JSON.stringify([state, data.landing?.map(({ moved }) => moved), repositories.map(isThere)])
    if (existsSync(met) && readFileSync(met, 'utf8').split('\n').includes(moment)) return
    appendFileSync(met, `${moment}\n`)
    process.kill(process.pid, 'SIGKILL')
  },
})
const { exitCode } = await follow(drydock, {
  runs: [run],
  after: 0,
  coders: 2,
  own: true,
  noWait: true,
  humanDelayMs: null,
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
process.exitCode = exitCode
