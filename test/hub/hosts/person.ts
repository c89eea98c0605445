import { setTimeout as delay } from 'node:timers/promises'
import { isEnded } from '../../../src/domain/run/run.ts'
import type { HostsWorld } from './hosts-world.ts'
import { withRecords } from './remains.ts'

export interface PersonRecord {
  /** Questions of stories that the infrastructure had stopped. */
  readonly questions: readonly string[]
  /** The reason of each error that stopped the run. */
  readonly errors: readonly string[]
}

/** Answers every question with `retry`, and resumes the run when it stops, until it has ended. */
export async function untilOver(world: HostsWorld, tell: (line: string) => void): Promise<PersonRecord> {
  const { fixture, run } = world
  const [answered, questions, errors] = [new Set<string>(), [] as string[], [] as string[]]
  for (let before = ''; ; await delay(1_000)) {
    // The database may be unreachable.
    const looked = await look().catch(() => null)
    if (looked === null) continue
    const { state, error, stories, open } = looked
    if (before !== stories) tell(`    ${stories}`)
    before = stories
    if (state !== null && isEnded(state)) return { questions, errors }
    for (const { id, content } of open) {
      questions.push(content)
      tell(`    asked: ${content.slice(0, 400).replaceAll('\n', ' ')}`)
      const { exitCode, stderr } = await fixture.drydock('reply', id, 'retry')
      if (exitCode === 0) answered.add(id)
      else tell(`    no reply: ${stderr}`)
    }
    if (state !== 'ERROR') continue
    errors.push(error)
    tell(`    stopped: ${error}`)
    await world.resume()
  }

  function look() {
    return withRecords(world, async (records) => {
      const machine = await records.machineOf('run', run)
      const chat = await records.chat({ run })
      const replied = new Set(chat.flatMap(({ reply_to }) => (reply_to === null ? [] : [reply_to])))
      const open = chat.filter(({ id, post_type }) => post_type === 'escalate' && !replied.has(id) && !answered.has(id))
      const counts = await records.machineCounts({ kind: 'story', run })
      const stories = [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
      return { state: machine?.state ?? null, error: machine?.data.error?.message ?? '', stories, open }
    })
  }
}
