import { useMutation } from '@tanstack/react-query'
import { currentActor } from '../data/session.ts'
import { signOut } from '../data/sign-in.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/notice.tsx'

export function SignOut({ close }: { readonly close: () => void }) {
  const actor = currentActor()
  const ending = useMutation({ mutationFn: signOut })
  return (
    <Dialog title="Sign out" close={close}>
      <div className="stack">
        {actor === null ? (
          <p>
            This ends the sessions of all browsers, for all repositories on this machine. Runs continue.{' '}
            <code>drydock serve</code> prints a new link.
          </p>
        ) : (
          <p>
            You are signed in as <strong>{actor.name}</strong> ({actor.role}). This ends the session of this browser.
            Your token, or your session at the provider, stays good.
          </p>
        )}
        {ending.isError && <Problem error={ending.error} />}
        <button type="button" className="button primary" disabled={ending.isPending} onClick={() => ending.mutate()}>
          {actor === null ? 'End all sessions' : 'Sign out'}
        </button>
      </div>
    </Dialog>
  )
}
