import { Component, type ReactNode } from 'react'
import { Problem } from './notice.tsx'

/** A bug of one page costs that page, not the way out of it. React asks for a class here. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div className="page narrow">
        <Problem error={error} retry={() => window.location.reload()} />
      </div>
    )
  }
}
