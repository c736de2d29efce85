"""Pictures as an H.264 film in an MP4 file. The only room that knows PyAV, which is installed on request."""
