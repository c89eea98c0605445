import { useMutation } from '@tanstack/react-query'
import { signOut } from '../data/sign-in.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/notice.tsx'

export function SignOut({ close }: { readonly close: () => void }) {
  const ending = useMutation({ mutationFn: signOut })
  return (
    <Dialog title="Sign out" close={close}>
      <div className="stack">
        <p>
          This ends the sessions of all browsers, for all repositories on this machine. Runs continue.{' '}
          <code>drydock serve</code> prints a new link.
        </p>
        {ending.isError && <Problem error={ending.error} />}
        <button type="button" className="button primary" disabled={ending.isPending} onClick={() => ending.mutate()}>
          End all sessions
        </button>
      </div>
    </Dialog>
  )
}
