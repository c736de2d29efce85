"""The keyboard shortcuts of applications, by name: published in manifests, shipped with deskhand, registered, learned."""
