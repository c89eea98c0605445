import type { ReactNode } from 'react'
import type { Choices } from '../../../src/api/choices.ts'
import { InlineCode } from '../../parts/inline-code.tsx'

/** The value of the choice to name a model by hand. */
export const otherModel = 'other'

interface FieldProps {
  readonly choices: Choices | undefined
  readonly chosen: string
  readonly choose: (value: string) => void
}

interface SelectProps extends Omit<FieldProps, 'choices'> {
  readonly title: string
  readonly hint: ReactNode
  /** True if the hint comes later, and needs a place until then. */
  readonly isFound?: boolean
  readonly children: ReactNode
}

function Select({ title, hint, isFound = false, chosen, choose, children }: SelectProps) {
  return (
    <label className="field">
      <span>{title}</span>
      <select className="input" value={chosen} onChange={({ target }) => choose(target.value)}>
        {children}
      </select>
      <small className={isFound ? 'found' : undefined}>{hint}</small>
    </label>
  )
}

/** The branch that work starts from. */
export function BranchField({ choices, chosen, choose }: FieldProps) {
  const start = choices?.start ?? null
  const others = (choices?.branches ?? []).filter((name) => name !== start)
  return (
    <Select title="Branch to start from" hint="Work starts from its newest commit." chosen={chosen} choose={choose}>
      <option value="">{start ?? 'What is checked out'}</option>
      {others.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </Select>
  )
}

/** One model for all roles, with what is known of it. */
export function ModelField({ choices, chosen, choose }: FieldProps) {
  const { configured = null, models = [], providers = [] } = choices ?? {}
  const away = providers.filter(({ problem }) => problem !== null)
  const known = choices === undefined ? 'As configured' : 'None is configured: choose one'
  return (
    <Select
      title="Model"
      hint={modelHint(choices, chosen)}
      isFound={chosen !== otherModel}
      chosen={chosen}
      choose={choose}
    >
      <option value="">{configured === null ? known : `As configured: ${configured.join(', ')}`}</option>
      {[...Map.groupBy(models, ({ provider }) => provider)].map(([provider, list]) => (
        <optgroup key={provider} label={provider}>
          {list.map(({ name, found }) => (
            <option key={name} value={name}>
              {name.slice(provider.length + 1)}
              {found !== null && ' (tried)'}
            </option>
          ))}
        </optgroup>
      ))}
      {away.map(({ name, problem }) => (
        <option key={name} disabled>
          {problem?.message}
        </option>
      ))}
      <option value={otherModel}>Another one, by its name…</option>
    </Select>
  )
}

/** The result of the chosen model's check, or the remedy if the model cannot be used. */
function modelHint(choices: Choices | undefined, chosen: string): ReactNode {
  if (choices === undefined) return 'The providers are asked for their models…'
  const { configured, configured_problem: problem, models, providers } = choices
  if (chosen === otherModel) {
    const silent = providers.filter(({ unlisted }) => unlisted).map(({ name }) => name)
    return silent.length === 0 ? 'For a model that no list has.' : `${silent.join(', ')} does not list its models.`
  }
  if (chosen === '' && problem !== null) {
    if (problem.code !== 'no_model') return <InlineCode text={`${problem.message} ${problem.todo}`} />
    if (models.length > 0) return 'No model is configured: choose one of the list.'
    return 'No model is configured, and no provider answers. Set the key of a provider, such as ANTHROPIC_API_KEY, before Drydock starts, or run a model on this machine.'
  }
  const name = chosen === '' ? configured?.[0] : chosen
  const model = models.find((each) => each.name === name)
  const provider = providers.find((each) => each.name === model?.provider)
  if (provider?.problem) return `${provider.problem.message}. ${provider.problem.todo}`
  if (model === undefined) return 'Each role has the model of the configuration.'
  return `${provider?.found ?? model.provider}. ${model.found === null ? 'Not tried yet: its first use tries it.' : `Tried: ${model.found}.`}`
}

interface EditorProps extends FieldProps {
  /** True if agents that only do tasks cannot be chosen. */
  readonly crew: boolean
}

/** The author of the code: the model, or another maker's agent. */
export function EditorField({ choices, chosen, choose, crew }: EditorProps) {
  const agents = choices?.agents ?? []
  const problem = agents.find(({ name }) => name === chosen)?.problem
  const hint =
    agents.length === 0 ? 'No agent of another maker is installed here.' : 'Agents of other makers that are here.'
  return (
    <Select title="Editor" hint={problem ? `${problem.message} ${problem.todo}` : hint} chosen={chosen} choose={choose}>
      <option value="">As configured</option>
      {agents.map((agent) => (
        <option key={agent.name} value={agent.name} disabled={agent.problem !== null || (crew && !agent.crew)}>
          {agent.title}
          {agent.problem !== null ? `: ${agent.problem.message}` : crew && !agent.crew ? ': only for single tasks' : ''}
        </option>
      ))}
    </Select>
  )
}
