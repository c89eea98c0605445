import { useState } from 'react'
import type { TokenList } from '../../../src/api/hub.ts'
import { currentActor } from '../../data/session.ts'
import { useRevokeToken, useTokens } from '../../data/tokens.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Time } from '../../parts/time.tsx'
import { AddTokenForm } from './add-token-form.tsx'

type TokenRow = TokenList['tokens'][number]

/** The tokens of the hub: an admin adds and revokes them. */
export function TokensPage() {
  const [revoking, setRevoking] = useState<TokenRow | null>(null)
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Tokens</h1>
          <p className="sub">Who may use this hub, as a person or as a program.</p>
        </div>
      </header>
      <AddTokenForm />
      <Loaded query={useTokens()} what="the tokens">
        {({ tokens }) => (
          <ul className="card tokens" aria-label="Tokens">
            {tokens.map((token) => (
              <Row key={token.name} token={token} revoke={() => setRevoking(token)} />
            ))}
          </ul>
        )}
      </Loaded>
      {revoking && <RevokeDialog token={revoking} close={() => setRevoking(null)} />}
    </div>
  )
}

function Row({ token, revoke }: { readonly token: TokenRow; readonly revoke: () => void }) {
  const { name, role, expires_at, expired, last_used_at, person } = token
  const isOwn = name === currentActor()?.name
  const ends = expires_at === null ? 'never ends' : `${expired ? 'ended' : 'ends'} ${expires_at.slice(0, 10)}`
  return (
    <li data-item tabIndex={-1} aria-label={name}>
      <div className="grow">
        <strong className="token-name">{name}</strong>
        <p className="row sub dotted">
          <span>{role}</span>
          {isOwn && <span>you</span>}
          {person && <span>signed in with the provider</span>}
          <span>{ends}</span>
          <span>
            {last_used_at === null ? (
              'never used'
            ) : (
              <>
                used <Time at={last_used_at} />
              </>
            )}
          </span>
        </p>
      </div>
      <button type="button" className="button" aria-label={`Revoke ${name}`} onClick={revoke}>
        Revoke
      </button>
    </li>
  )
}

function RevokeDialog({ token, close }: { readonly token: TokenRow; readonly close: () => void }) {
  const { name, person } = token
  const revoking = useRevokeToken()
  return (
    <Dialog title={`Revoke ${name}?`} close={close}>
      <p>
        {person
          ? 'All sessions of this person end within a second. Whoever still has a role at the provider can sign in again.'
          : 'The token lets nobody in any more, and its sessions end within a second. There is no way back: add a new one.'}
        {name === currentActor()?.name && ' This is you: you are signed out.'}
      </p>
      {revoking.isError && <Problem error={revoking.error} />}
      <div className="row">
        <button
          type="button"
          className="button danger"
          disabled={revoking.isPending}
          onClick={() => revoking.mutate({ name }, { onSuccess: close })}
        >
          Revoke it
        </button>
        <button type="button" className="button" onClick={close}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
