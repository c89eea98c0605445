import { useId, useState } from 'react'
import type { StoryTests } from '../../../src/api/acceptance.ts'
import { useOperation } from '../../data/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'
import { lines } from '../start/start-fields.tsx'

interface Props extends Pick<StoryTests, 'run' | 'story' | 'criteria'> {
  /** Null for a new one. */
  readonly file: StoryTests['files'][number] | null
  readonly close: () => void
}

/** A person writes a file of tests, and says which criteria it tests. These tests then decide. */
export const EditTests = forOperators(function EditTests({ run, story, criteria, file, close }: Props) {
  const before = file === null ? '' : textOf(file.content)
  const [path, setPath] = useState(file?.path ?? '')
  const [text, setText] = useState(before)
  const [chosen, setChosen] = useState<readonly string[]>(() => testedBy(before, criteria))
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const [isOld, setOld] = useState(false)
  const decide = useOperation('decideTests')
  const content = useId()
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id])
  const editOf = (id: string) => {
    const tests = lines(names[id] ?? '')
    return { id, ...(tests.length > 0 && { tests }), ...(isOld && { behaviour: 'old' as const }) }
  }
  return (
    <Dialog title={file === null ? 'Add a file of tests' : `Edit ${file.path}`} close={close}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const edit = { files: [{ path, content: base64Of(text) }], criteria: chosen.map(editOf) }
          decide.mutate({ run, story, edit }, { onSuccess: close })
        }}
      >
        {file === null && (
          <label className="field">
            <span>Path</span>
            <input className="input mono" required value={path} onChange={({ target }) => setPath(target.value)} />
          </label>
        )}
        <div className="field">
          <label htmlFor={content}>Tests</label>
          <textarea
            id={content}
            className="input tall"
            required
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <fieldset className="stack tight">
          <legend>It tests</legend>
          {criteria.map(({ id, text: about, tests }) => (
            <div key={id} className="stack tight">
              <label className="check">
                <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
                {id}: {about}
              </label>
              {chosen.includes(id) && (
                <label className="field">
                  <span>Names of the tests of {id}</span>
                  <textarea
                    className="input short"
                    required={tests.length === 0}
                    value={names[id] ?? tests.join('\n')}
                    onChange={({ target }) => setNames({ ...names, [id]: target.value })}
                  />
                  <small>One per line, as the runner names them.</small>
                </label>
              )}
            </div>
          ))}
        </fieldset>
        <label className="check">
          <input type="checkbox" checked={isOld} onChange={({ target }) => setOld(target.checked)} />
          They pass on the base commit already
        </label>
        {decide.isError && <Problem error={decide.error} />}
        <div className="row">
          <button type="submit" className="button primary" disabled={chosen.length === 0 || decide.isPending}>
            Save
          </button>
          <button type="button" className="button" onClick={close}>
            Leave it
          </button>
        </div>
      </form>
    </Dialog>
  )
})

/** The criteria that the text tests, by the names of its tests. */
function testedBy(text: string, criteria: Props['criteria']): readonly string[] {
  return criteria.flatMap(({ id, tests }) => (tests.some((name) => text.includes(name)) ? id : []))
}

export function textOf(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)))
}

function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}
