import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { AddedToken, AddToken } from '../../../src/api/hub.ts'
import { useAddToken } from '../../data/tokens.ts'
import { Copy } from '../../parts/copy.tsx'
import { Problem } from '../../parts/notice.tsx'
import './tokens.css'

const roles = {
  viewer: 'viewer: reads',
  operator: 'operator: also starts, answers, spends',
  admin: 'admin: also keeps tokens and sees the settings',
  monitor: 'monitor: reads figures about the hub, and no code',
  worker: 'worker: takes work, for machines',
} as const satisfies Readonly<Record<AddToken['role'], string>>

type Role = keyof typeof roles

const isRole = (text: string): text is Role => Object.hasOwn(roles, text)

const lifetimes = { '30d': '30 days', '90d': '90 days', '365d': 'a year', '': 'until it is revoked' } as const

/** Adds a token and shows it once; it is not shown anywhere else. */
export function AddTokenForm() {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [expires, setExpires] = useState<string>('90d')
  const adding = useAddToken()
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (adding.isPending || name.trim() === '') return
    adding.mutate({ name: name.trim(), role, ...(expires !== '' && { expires }) }, { onSuccess: () => setName('') })
  }
  if (adding.isSuccess) return <Added name={adding.variables.name} added={adding.data} done={() => adding.reset()} />
  return (
    <form className="card card-body" onSubmit={send}>
      <label className="field">
        <span>Name of the person or program</span>
        <input
          className="input"
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <small>Lower-case letters, digits, and . _ - between them. What they do is told under this name.</small>
      </label>
      <label className="field">
        <span>Role</span>
        <select className="input" value={role} onChange={({ target }) => isRole(target.value) && setRole(target.value)}>
          {Object.entries(roles).map(([each, about]) => (
            <option key={each} value={each}>
              {about}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Good for</span>
        <select className="input" value={expires} onChange={({ target }) => setExpires(target.value)}>
          {Object.entries(lifetimes).map(([each, about]) => (
            <option key={each} value={each}>
              {about}
            </option>
          ))}
        </select>
      </label>
      {adding.isError && <Problem error={adding.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={adding.isPending || name.trim() === ''}>
          Add a token
        </button>
      </div>
    </form>
  )
}

interface AddedProps {
  readonly name: string
  readonly added: AddedToken
  readonly done: () => void
}

function Added({ name, added, done }: AddedProps) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <section ref={place} className="card card-body" aria-label={`The token of ${name}`} tabIndex={-1}>
      <p role="status">
        This is the token of <strong>{name}</strong>. It is shown only now: give it to them, then close this.
      </p>
      <p className="token-shown">
        <Copy text={added.token} />
      </p>
      <div className="row">
        <button type="button" className="button primary" onClick={done}>
          Close
        </button>
      </div>
    </section>
  )
}
