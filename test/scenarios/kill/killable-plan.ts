import { openDrydock } from '../../../src/compose.ts'

/**
 * An owner of a state that works on nothing, and ends itself with SIGKILL right before or after the
 * commit in which a plan is edited.
 */
const [directory = '', run = '', moment = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let isEdited = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    isEdited = (await records.recentEvents({ run, types: ['plan_edit'], limit: 1 })).length > 0
    if (isEdited && moment === 'before') kill()
  },
  afterCommit() {
    if (isEdited) kill()
  },
})

await drydock.own({
  ...{ coders: 1, asked: [], only: true },
  onFailure(error) {
    throw error
  },
})
setInterval(() => {}, 60_000)
