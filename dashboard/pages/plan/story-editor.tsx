import { type ReactNode, useId } from 'react'
import type { PlanProblem } from '../../../src/api/plan.ts'
import { plural } from '../../figures-text.ts'
import { lines } from '../start/start-fields.tsx'
import type { DraftStory } from './edit-stories.ts'

interface Props {
  readonly story: DraftStory
  readonly others: readonly DraftStory[]
  readonly problems: readonly PlanProblem[]
  /** True if the story was added by this edit, so that its id can be chosen. */
  readonly isNew: boolean
  readonly repositories: readonly string[]
  readonly change: (changes: Partial<DraftStory>) => void
  /** The buttons in its header. */
  readonly children: ReactNode
}

/** The editor for one story of a plan; problems are shown beside their fields. */
export function StoryEditor({ story, others, problems, isNew, repositories, change, children }: Props) {
  const { id, title, content, acceptance_criteria, depends_on, files_hint, repository = '' } = story
  const whole = problems.filter(({ field }) => field === null)
  const of = (field: PlanProblem['field']) => problems.filter((problem) => problem.field === field)
  return (
    <section className="card plan-editor" aria-label={title || id}>
      <div className="card-head">
        <code>{id}</code>
        {children}
      </div>
      <div className="card-body stack">
        <Wrong problems={whole} id={`wrong-${story.key}`} />
        {isNew && (
          <Field title="Id" hint="Names its branch and its conversations." problems={of('id')}>
            {(more) => (
              <input className="input" value={id} onChange={(e) => change({ id: e.target.value })} {...more} />
            )}
          </Field>
        )}
        <Field title="Title" problems={of('title')}>
          {(more) => (
            <input className="input" value={title} onChange={(e) => change({ title: e.target.value })} {...more} />
          )}
        </Field>
        <Field title="What to do" problems={of('content')}>
          {(more) => (
            <textarea
              className="input"
              value={content}
              onChange={(e) => change({ content: e.target.value })}
              {...more}
            />
          )}
        </Field>
        <ListField
          title="Done when"
          list={acceptance_criteria}
          problems={of('acceptance_criteria')}
          change={(list) => change({ acceptance_criteria: list })}
        />
        <details>
          <summary>
            Needs {depends_on.length === 0 ? 'no other story' : depends_on.join(', ')};{' '}
            {plural(files_hint.length, 'file')} named
          </summary>
          <div className="stack">
            <Needs depends_on={depends_on} others={others} change={change} />
            <ListField
              title="Files it will probably change"
              list={files_hint}
              problems={[]}
              change={(list) => change({ files_hint: list })}
            />
            {repositories.length > 0 && (
              <Field title="Repository" problems={of('repository')}>
                {(more) => (
                  <select
                    className="input"
                    value={repository === '' ? repositories[0] : repository}
                    onChange={(e) => change({ repository: e.target.value })}
                    {...more}
                  >
                    {repositories.map((name) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            )}
          </div>
        </details>
        <Wrong problems={of('depends_on')} id={`needs-${story.key}`} />
      </div>
    </section>
  )
}

function Needs({ depends_on, others, change }: Pick<DraftStory, 'depends_on'> & Pick<Props, 'others' | 'change'>) {
  const missing = depends_on.filter((id) => !others.some((other) => other.id === id))
  const choices = [
    ...others.map(({ id, title }) => ({ id, title })),
    ...missing.map((id) => ({ id, title: 'is gone' })),
  ]
  return (
    <fieldset className="plan-needs">
      <legend>Needs first</legend>
      {choices.length === 0 && <p className="sub">There is no other story.</p>}
      {choices.map(({ id, title }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={depends_on.includes(id)}
            onChange={({ target }) =>
              change({ depends_on: target.checked ? [...depends_on, id] : depends_on.filter((each) => each !== id) })
            }
          />
          <span>
            <code>{id}</code> {title}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface ListProps {
  readonly title: string
  readonly list: readonly string[]
  readonly problems: readonly PlanProblem[]
  readonly change: (list: string[]) => void
}

/** The typed text stays as it is; the list consists of its lines. */
function ListField({ title, list, problems, change }: ListProps) {
  return (
    <Field title={title} hint="One per line." problems={problems}>
      {(more) => (
        <textarea
          className="input short"
          value={list.join('\n')}
          onChange={({ target }) => change(target.value.split('\n'))}
          onBlur={({ target }) => change(lines(target.value))}
          {...more}
        />
      )}
    </Field>
  )
}

interface FieldProps {
  readonly title: string
  readonly hint?: string
  readonly problems: readonly PlanProblem[]
  readonly children: (more: {
    readonly id: string
    readonly 'aria-invalid'?: true
    readonly 'aria-describedby'?: string
  }) => ReactNode
}

function Field({ title, hint, problems, children }: FieldProps) {
  const id = useId()
  const wrong = `${id}-wrong`
  return (
    <div className="field">
      <label htmlFor={id}>{title}</label>
      {children({ id, ...(problems.length > 0 && { 'aria-invalid': true, 'aria-describedby': wrong }) })}
      <Wrong problems={problems} id={wrong} />
      {hint && <small>{hint}</small>}
    </div>
  )
}

function Wrong({ problems, id }: { readonly problems: readonly PlanProblem[]; readonly id: string }) {
  if (problems.length === 0) return null
  return (
    <p className="plan-wrong" id={id}>
      {problems.map(({ message }) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`).join(' ')}
    </p>
  )
}
