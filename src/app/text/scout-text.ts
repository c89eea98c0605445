import type { Json } from '../../domain/json.ts'
import { scoutFindings } from '../../domain/scout/scout-findings.ts'

/**
 * A scout's answer as Markdown, without empty sections. Also formats the error of a failed scout.
 */
export function scoutText(answer: Json): string {
  const { error_type: type, error_message: message } = Object(answer) as { error_type?: Json; error_message?: Json }
  if (type !== undefined) return `${type}: ${message}`
  const found = scoutFindings([{ payload: answer }])
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Files', found.repoMap],
    ['Where to change', found.targetFiles],
    ['APIs', found.apis],
    ['What must hold', found.constraints],
    ['Slices', found.slices],
    ['Prior art', found.priorArt],
    ['How to verify', found.verificationTips],
    ['Hypotheses', found.hypotheses],
  ]
  const told = sections.flatMap(([name, items]) =>
    items.length === 0 ? [] : [`## ${name}\n\n${items.map((item) => `- ${item}`).join('\n')}`],
  )
  return [...found.answers, ...told].join('\n\n') || 'The scout has nothing to report.'
}
