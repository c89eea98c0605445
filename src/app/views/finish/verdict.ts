import type { Finish } from '../../../api/finish.ts'
import { placeText } from '../../../domain/remark/remark-findings.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Built } from '../../commands/land/landable.ts'
import { releaseOf, whoHolds, whyItHolds } from '../../text/holds-text.ts'
import type { Hold } from './holds.ts'

type Told = Pick<Finish, 'landings' | 'change' | 'applied'>

/** Where a result stands, in the words of its page: what it was asked of may be a follow-up. */
export function verdictOf(asked: Run, { run, holds }: Pick<Built, 'run' | 'holds'>, told: Told): Finish['verdict'] {
  const stands = holds.length === 0 ? standing(told) : `${standing(told, 'Built')}, and held by ${whoHolds(holds)}`
  const fell = asked.id !== run.id && asked.state !== 'DONE'
  return {
    title: fell ? `This follow-up ${isEnded(asked.state) ? 'ended' : 'is'} ${asked.state}` : stands,
    of_run: fell ? stands : null,
    holds: holds.map(toHold),
  }
}

function standing({ landings, change, applied }: Told, ready = 'Built and ready'): string {
  const landed = landings.find(({ state }) => state === 'LANDED')
  if (change?.state === 'merged') return `Merged as change ${change.number}`
  if (change?.state === 'open' && landed?.goal !== 'onto') return `Change ${change.number} is open`
  if (landed?.branch) return `Landed on ${landed.branch}`
  return applied === null ? ready : 'Built and applied'
}

function toHold(hold: Hold): Finish['verdict']['holds'][number] {
  const said = { why: whyItHolds(hold), command: releaseOf(hold) }
  if (hold.kind === 'finding') {
    const { run, story, finding } = hold
    const { id, file, line, claim } = finding
    const place = line === undefined ? file : `${file}:${line}`
    const of = { run: run.id, story: nameOf(story) }
    return { kind: 'finding', ...of, id, by: 'the gate', place, text: claim, follow_up: null, ...said }
  }
  if (hold.kind === 'follow_up') {
    const { id, state } = hold.run
    const nothing = { story: null, id: null, place: '', text: '' }
    return { kind: 'follow_up', run: id, by: id, ...nothing, follow_up: { run: id, state }, ...said }
  }
  const { run, story, id, author: by, text, followUp: follow_up } = hold.remark
  return { kind: 'comment', run, story, id, by, place: placeText(hold.remark), text, follow_up, ...said }
}
