import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnSetting } from '../../../src/api/settings.ts'
import { useOperation } from '../../data/operation.ts'
import { Problem } from '../../parts/notice.tsx'
import { lines } from '../start/start-fields.tsx'
import { Card } from '../story/overview.tsx'

/** The settings in the user's own file, which can be changed here. */
export function OwnSettings({ own, file }: { readonly own: readonly OwnSetting[]; readonly file: string }) {
  if (own.length === 0) return null
  return (
    <Card title="Your own settings">
      <p className="sub">
        They are in <code>{file}</code> and hold for all your repositories. Commands in a terminal heed a change at
        once. This server heeds it from its next start.
      </p>
      <div className="stack">
        {own.map((setting) => (
          <OwnField key={`${setting.key} ${JSON.stringify(setting.value)}`} setting={setting} />
        ))}
      </div>
    </Card>
  )
}

function OwnField({ setting }: { readonly setting: OwnSetting }) {
  const { key, title, kind, value, other_form, next_start } = setting
  const said = textOf(value)
  const [text, setText] = useState(said)
  const client = useQueryClient()
  const change = useOperation('changeSetting', {
    onSuccess: () => client.invalidateQueries({ queryKey: ['settings'] }),
  })
  const id = `setting-${key}`
  const input = {
    id,
    className: kind === 'long' ? 'input' : kind === 'list' ? 'input short' : 'input',
    value: text,
    disabled: other_form,
    'aria-describedby': `${id}-about`,
  }
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ key, value: typedValue(kind, text), seen: value })
      }}
    >
      <label htmlFor={id}>{title}</label>
      <div className="row own-setting">
        {kind === 'long' || kind === 'list' ? (
          <textarea {...input} onChange={({ target }) => setText(target.value)} />
        ) : (
          <input
            {...input}
            type={kind === 'number' ? 'number' : 'text'}
            step="any"
            onChange={({ target }) => setText(target.value)}
          />
        )}
        <button
          type="submit"
          className="button"
          aria-label={`Save ${title}`}
          disabled={text === said || change.isPending || other_form}
        >
          Save
        </button>
      </div>
      <small id={`${id}-about`}>
        <code>{key}</code>
        {other_form
          ? ' is written in another form. Change it in the file.'
          : kind === 'list'
            ? ', one per line. Empty: the default.'
            : '. Empty: the default.'}
        {next_start && <strong> Changed; this server heeds it from its next start.</strong>}
      </small>
      {change.isError && <Problem error={change.error} />}
    </form>
  )
}

function textOf(value: OwnSetting['value']): string {
  if (value === null) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

function typedValue(kind: OwnSetting['kind'], text: string): OwnSetting['value'] {
  if (text.trim() === '') return null
  if (kind === 'number') return Number(text)
  return kind === 'list' ? lines(text) : text.trim()
}
