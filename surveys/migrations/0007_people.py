"""Surveys belong to teams: each owner gets a team of her own. And the log of researchers' acts, which only grows."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from collector.database.triggers import refuse

OWNER = 4

LOG = 'surveys_auditentry'
LOCK = [
    refuse('log_is_frozen', table=LOG, act='UPDATE', when='TRUE', message='the log cannot be changed'),
    refuse('log_stays', table=LOG, act='DELETE', when='TRUE', message='nothing can be deleted from the log'),
]


def give_to_teams(apps, schema_editor):
    Survey, Team, Membership = (apps.get_model('surveys', name) for name in ('Survey', 'Team', 'Membership'))
    User = apps.get_model('auth', 'User')
    for user in User.objects.filter(pk__in=Survey.objects.values('owner')):
        team = Team.objects.create(name=f'Surveys of {user.username}'[:100])
        Membership.objects.create(team=team, user=user, role=OWNER)
        Survey.objects.filter(owner=user).update(team=team)
    settle(schema_editor)


def give_back(apps, schema_editor):
    """A survey goes to the first owner of its team."""
    Survey, Membership = (apps.get_model('surveys', name) for name in ('Survey', 'Membership'))
    for survey in Survey.objects.all():
        owner = Membership.objects.filter(team=survey.team_id, role=OWNER).order_by('pk').first()
        if owner is None:
            raise ValueError(f'the team of {survey.slug} has no owner; make somebody its owner first')
        Survey.objects.filter(pk=survey.pk).update(owner=owner.user_id)
    settle(schema_editor)


def settle(schema_editor):
    """PostgreSQL alters no table whose keys it has still to check."""
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute('SET CONSTRAINTS ALL IMMEDIATE')


class Migration(migrations.Migration):

    dependencies = [
        ('surveys', '0006_field'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.PositiveSmallIntegerField(choices=[(1, 'viewer'), (2, 'analyst'), (3, 'editor'), (4, 'owner')])),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='surveys.team')),
            ],
            options={
                'ordering': ['-role', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('team', 'user'), name='membership_once'), models.CheckConstraint(condition=models.Q(('role__in', [1, 2, 3, 4])), name='membership_role_known')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('name', models.CharField(help_text='user name; empty for the command line and the schedule', max_length=150)),
                ('act', models.CharField(max_length=64)),
                ('slug', models.CharField(max_length=64)),
                ('detail', models.CharField(max_length=500)),
                ('survey', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='surveys.survey')),
                ('user', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='surveys.team')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        *LOCK,
        migrations.AddField(
            model_name='survey',
            name='team',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='surveys', to='surveys.team'),
        ),
        # Only on the way back is there somebody without an owner, until the teams are given back.
        migrations.AlterField(
            model_name='survey',
            name='owner',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='surveys', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(give_to_teams, give_back),
        migrations.AlterField(
            model_name='survey',
            name='team',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='surveys', to='surveys.team'),
        ),
        migrations.RemoveField(model_name='survey', name='owner'),
    ]
