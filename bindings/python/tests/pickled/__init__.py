"""An application of Django, for django_pickled.py: only its models import idgen.django."""
