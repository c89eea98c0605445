import type { RemarkNow } from '../../app/views/remarks.ts'
import type { RemarkState } from '../../domain/remark/remark.ts'
import { placeText, sourceText } from '../../domain/remark/remark-findings.ts'
import type { Screen, Tone } from './screen.ts'

/** Remarks with their states. A bar marks text that others wrote. */
export function remarkLines(screen: Screen, remarks: readonly RemarkNow[]): string {
  return remarks.map((remark) => remarkText(screen, remark)).join('\n\n')
}

function remarkText(screen: Screen, remark: RemarkNow): string {
  const { id, author, story, text, state, reply } = remark
  const head = [id ?? '(new)', author, sourceText(remark), story, placeText(remark)].filter(Boolean).join('  ')
  const fate = screen.paint(tones[state], `${state}${screen.clean(fateOf(remark))}`)
  const said = reply === null ? [] : ['answer:', ...barred(screen.prose(reply.trimEnd()))]
  return [
    `${screen.paint('strong', screen.clean(head))}  ${fate}`,
    ...barred(screen.prose(text.trimEnd())),
    ...said,
  ].join('\n')
}

const tones: Readonly<Record<RemarkState, Tone>> = {
  OPEN: 'faint',
  ANSWERED: 'bad',
  STUCK: 'bad',
  REFUSED: 'bad',
  SETTLED: 'good',
  ACCEPTED: 'good',
}

function fateOf({ id, run, state, commit, followUp }: RemarkNow): string {
  switch (state) {
    case 'SETTLED':
      return ` by ${commit?.slice(0, 12)}`
    case 'ANSWERED':
      return `: accept it with drydock accept ${run} ${id}, or say more`
    case 'STUCK':
      return followUp === null ? '' : `: drydock report ${followUp.run}`
    case 'OPEN':
      return followUp === null ? '' : `, in ${followUp.run} (${followUp.state})`
    case 'ACCEPTED':
    case 'REFUSED':
      return ''
    default:
      throw new Error(`unknown state ${state satisfies never}`)
  }
}

function barred(text: string): readonly string[] {
  return text.split('\n').map((line) => `│ ${line}`.trimEnd())
}
